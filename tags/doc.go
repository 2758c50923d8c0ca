// Package tags parses the text of one sofab struct tag into one plain struct.
//
// It knows the grammar and the form of every option's value. Whether an option
// fits the type of its field, whether ids collide and what a default means is
// judged by whoever compiles the type; [Given] carries the positions for that.
//
// # Grammar
//
//	tag     = "-" | spec
//	spec    = [ id ] { "," option }
//	id      = "0" | nonzero { digit }              0 to 2147483647
//	option  = path [ "=" value ]
//	path    = key | ( "elem" | "key" | "val" ) "." path
//	value   = bare | quoted
//	bare    = one or more bytes other than , ' " = and blanks
//	quoted  = "'" { any byte but ' and \ | "\'" | "\\" | "\n" | "\xHH" } "'"
//
// A spec is never empty: without an id it has at least one option. A blank is
// an ASCII space, tab, line feed, vertical tab, form feed or carriage return;
// blanks stand in quoted values only. A path has at most 16 steps before its
// key. A quoted value means the same as the bare one with the same text, and
// only default may be empty, as two quotes. No option stands twice at one path.
//
// # Options
//
//	maxlen=N count=N maxsize=N                     1 to 2147483647
//	default=V                                      any text
//	presence required union inline unknown deprecated
//	string blob array                              at most one of them
//	u8 u16 u32 u64 i8 i16 i32 i64 fp32 fp64        at most one of them
//	enum enum=0|1|-2                               distinct, each an int32
//	bits bits=0|3|63                               distinct, 0 to 63
//	default_id=N                                   0 to 2147483647
//	time=unix|unixmilli|unixmicro|unixnano|rfc3339|struct
//	duration=ns|us|ms|s
//	name=V unit=V desc=V                           text, not empty
//	decimals=N                                     0 to 15
//
// Numbers are plain decimals: no sign other than the minus of an enum member,
// no leading zero, no -0.
package tags
