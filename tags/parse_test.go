package tags

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// field returns the Tag of a field with id 1 and these options.
func field(o Options) Tag { return Tag{HasID: true, ID: 1, Options: o} }

// given returns the Given of one option without a path.
func given(pos int, key string) []Given { return []Given{{Key: key, Path: key, Pos: pos}} }

var parseTests = []struct {
	tag  string
	want Tag
}{
	{"-", Tag{Ignore: true}},
	{"0", Tag{HasID: true}},
	{"7", Tag{HasID: true, ID: 7}},
	{"2147483647", Tag{HasID: true, ID: math.MaxInt32}},

	{",unknown", Tag{Options: Options{Given: given(1, "unknown"), Unknown: true}}},
	{",inline", Tag{Options: Options{Given: given(1, "inline"), Inline: true}}},
	{",name=Order,maxsize=4096", Tag{Options: Options{
		Given: []Given{{Key: "name", Path: "name", Pos: 1}, {Key: "maxsize", Path: "maxsize", Pos: 12}},
		Name:  "Order", MaxSize: 4096,
	}}},

	{"1,maxlen=64", field(Options{Given: given(2, "maxlen"), MaxLen: 64})},
	{"1,maxlen=1", field(Options{Given: given(2, "maxlen"), MaxLen: 1})},
	{"1,maxlen=2147483647", field(Options{Given: given(2, "maxlen"), MaxLen: math.MaxInt32})},
	{"1,maxlen='64'", field(Options{Given: given(2, "maxlen"), MaxLen: 64})},
	{"1,count=4", field(Options{Given: given(2, "count"), Count: 4})},
	{"1,maxsize=4096", field(Options{Given: given(2, "maxsize"), MaxSize: 4096})},
	{"1,presence", field(Options{Given: given(2, "presence"), Presence: true})},
	{"1,required", field(Options{Given: given(2, "required"), Required: true})},
	{"1,union", field(Options{Given: given(2, "union"), Union: true})},
	{"1,inline", field(Options{Given: given(2, "inline"), Inline: true})},
	{"1,unknown", field(Options{Given: given(2, "unknown"), Unknown: true})},
	{"1,deprecated", field(Options{Given: given(2, "deprecated"), Deprecated: true})},

	{"1,default=-5", field(Options{Given: given(2, "default"), Default: "-5", HasDefault: true})},
	{"1,default=''", field(Options{Given: given(2, "default"), HasDefault: true})},
	{"1,default='[3,4]'", field(Options{Given: given(2, "default"), Default: "[3,4]", HasDefault: true})},
	{"1,default='hex:0102'", field(Options{Given: given(2, "default"), Default: "hex:0102", HasDefault: true})},
	{"1,default=b64:AQI", field(Options{Given: given(2, "default"), Default: "b64:AQI", HasDefault: true})},
	{`1,default='it\'s a \\, \n \x00\xfF "="'`, field(Options{Given: given(2, "default"), Default: "it's a \\, \n \x00\xff \"=\"", HasDefault: true})},
	{"1,default='\t\n\xff\x00'", field(Options{Given: given(2, "default"), Default: "\t\n\xff\x00", HasDefault: true})},
	{"1,default=\xff|.:\\n", field(Options{Given: given(2, "default"), Default: "\xff|.:\\n", HasDefault: true})},

	{"1,string", field(Options{Given: given(2, "string"), Form: FormString})},
	{"1,blob", field(Options{Given: given(2, "blob"), Form: FormBlob})},
	{"1,array", field(Options{Given: given(2, "array"), Form: FormArray})},

	{"1,u8", field(Options{Given: given(2, "u8"), Width: WidthU8})},
	{"1,u16", field(Options{Given: given(2, "u16"), Width: WidthU16})},
	{"1,u32", field(Options{Given: given(2, "u32"), Width: WidthU32})},
	{"1,u64", field(Options{Given: given(2, "u64"), Width: WidthU64})},
	{"1,i8", field(Options{Given: given(2, "i8"), Width: WidthI8})},
	{"1,i16", field(Options{Given: given(2, "i16"), Width: WidthI16})},
	{"1,i32", field(Options{Given: given(2, "i32"), Width: WidthI32})},
	{"1,i64", field(Options{Given: given(2, "i64"), Width: WidthI64})},
	{"1,fp32", field(Options{Given: given(2, "fp32"), Width: WidthFP32})},
	{"1,fp64", field(Options{Given: given(2, "fp64"), Width: WidthFP64})},

	{"1,enum", field(Options{Given: given(2, "enum"), Enum: true})},
	{"1,enum=1|0|-2", field(Options{Given: given(2, "enum"), Enum: true, Members: []int64{1, 0, -2}})},
	{"1,enum=-2147483648|2147483647", field(Options{Given: given(2, "enum"), Enum: true, Members: []int64{math.MinInt32, math.MaxInt32}})},
	{"1,bits", field(Options{Given: given(2, "bits"), Bits: true})},
	{"1,bits=63|0|3", field(Options{Given: given(2, "bits"), Bits: true, BitList: []int{63, 0, 3}})},
	{"1,default_id=0", field(Options{Given: given(2, "default_id"), HasDefaultID: true})},
	{"1,default_id=2147483647", field(Options{Given: given(2, "default_id"), HasDefaultID: true, DefaultID: math.MaxInt32})},

	{"1,time=unix", field(Options{Given: given(2, "time"), Time: TimeUnix})},
	{"1,time=unixmilli", field(Options{Given: given(2, "time"), Time: TimeUnixMilli})},
	{"1,time=unixmicro", field(Options{Given: given(2, "time"), Time: TimeUnixMicro})},
	{"1,time=unixnano", field(Options{Given: given(2, "time"), Time: TimeUnixNano})},
	{"1,time=rfc3339", field(Options{Given: given(2, "time"), Time: TimeRFC3339})},
	{"1,time=struct", field(Options{Given: given(2, "time"), Time: TimeStruct})},
	{"1,duration=ns", field(Options{Given: given(2, "duration"), Duration: DurationNS})},
	{"1,duration=us", field(Options{Given: given(2, "duration"), Duration: DurationUS})},
	{"1,duration=ms", field(Options{Given: given(2, "duration"), Duration: DurationMS})},
	{"1,duration=s", field(Options{Given: given(2, "duration"), Duration: DurationS})},

	{"1,name=total", field(Options{Given: given(2, "name"), Name: "total"})},
	{"1,unit=°C", field(Options{Given: given(2, "unit"), Unit: "°C"})},
	{"1,desc='a, b'", field(Options{Given: given(2, "desc"), Desc: "a, b"})},
	{"1,decimals=0", field(Options{Given: given(2, "decimals"), HasDecimals: true})},
	{"1,decimals=15", field(Options{Given: given(2, "decimals"), HasDecimals: true, Decimals: 15})},

	{"1,elem.maxlen=32,count=4,elem.u8", field(Options{
		Given: []Given{{Key: "count", Path: "count", Pos: 17}},
		Count: 4,
		Elem: &Options{
			Given:  []Given{{Key: "maxlen", Path: "elem.maxlen", Pos: 2}, {Key: "u8", Path: "elem.u8", Pos: 25}},
			MaxLen: 32, Width: WidthU8,
		},
	})},
	{"1,val.elem.count=4,key.maxlen=8,val.count=2", field(Options{
		Key: &Options{Given: []Given{{Key: "maxlen", Path: "key.maxlen", Pos: 19}}, MaxLen: 8},
		Val: &Options{
			Given: []Given{{Key: "count", Path: "val.count", Pos: 32}},
			Count: 2,
			Elem:  &Options{Given: []Given{{Key: "count", Path: "val.elem.count", Pos: 2}}, Count: 4},
		},
	})},
	{"1,string,elem.blob,key.array", field(Options{
		Given: given(2, "string"),
		Form:  FormString,
		Elem:  &Options{Given: []Given{{Key: "blob", Path: "elem.blob", Pos: 9}}, Form: FormBlob},
		Key:   &Options{Given: []Given{{Key: "array", Path: "key.array", Pos: 19}}, Form: FormArray},
	})},
}

func TestParse(t *testing.T) {
	for _, tt := range parseTests {
		got, err := Parse(tt.tag)
		if err != nil {
			t.Errorf("Parse(%q): %v", tt.tag, err)
			continue
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("Parse(%q) (-want +got):\n%s", tt.tag, diff)
		}
	}
}

var errorTests = []struct {
	tag    string
	pos    int
	reason string
}{
	// The id.
	{"", 0, `empty tag at byte 0 (write an id such as "1", or "-" to leave the field out)`},
	{",", 1, `empty option at byte 1 (remove the comma before it)`},
	{"08", 0, `id "08" at byte 0 has a leading zero (remove it)`},
	{"00", 0, `id "00" at byte 0 has a leading zero (remove it)`},
	{"+1", 0, `id "+1" at byte 0 has a sign (ids are plain numbers from 0 to 2147483647)`},
	{"-1,u8", 0, `id "-1" at byte 0 has a sign (ids are plain numbers from 0 to 2147483647)`},
	{"2147483648", 0, `id "2147483648" at byte 0 is above 2147483647`},
	{"99999999999999999999", 0, `id "99999999999999999999" at byte 0 is above 2147483647`},
	{"0x1", 0, `id "0x1" at byte 0 is not a number (the id comes first; a name is an option, as in "1,name=total")`},
	{"1=2", 0, `id "1=2" at byte 0 is not a number (the id comes first; a name is an option, as in "1,name=total")`},
	{"total,omitempty", 0, `id "total" at byte 0 is not a number (the id comes first; a name is an option, as in "1,name=total")`},
	{"'1'", 0, `id "'1'" at byte 0 is not a number (the id comes first; a name is an option, as in "1,name=total")`},
	{"maxlen=64", 0, `option "maxlen" at byte 0 stands where the id belongs (the id comes first, as in "1,maxlen")`},
	{"inline", 0, `option "inline" at byte 0 stands where the id belongs (it has none: write ",inline")`},
	{"unknown", 0, `option "unknown" at byte 0 stands where the id belongs (it has none: write ",unknown")`},
	{"omitempty", 0, `option "omitempty" at byte 0 stands where the id belongs (a value at its default is always omitted: remove omitempty)`},
	{"-,", 1, `"," at byte 1 stands beside "-" (an ignored field has nothing else: remove it)`},
	{"-,maxlen=3", 1, `",maxlen=3" at byte 1 stands beside "-" (an ignored field has nothing else: remove it)`},
	{"--", 1, `"-" at byte 1 stands beside "-" (an ignored field has nothing else: remove it)`},
	{"- ", 1, `" " at byte 1 stands beside "-" (an ignored field has nothing else: remove it)`},

	// Blanks.
	{" ", 0, `blank at byte 0 (remove it)`},
	{" 1", 0, `blank at byte 0 (remove it)`},
	{" -", 0, `blank at byte 0 (remove it)`},
	{"1 ", 1, `blank at byte 1 (remove it)`},
	{"1 ,u8", 1, `blank at byte 1 (remove it)`},
	{"1, u8", 2, `blank at byte 2 (remove it)`},
	{"1,u8 ", 4, `blank at byte 4 (remove it)`},
	{"1,elem .u8", 6, `blank at byte 6 (remove it)`},
	{"1,maxlen =6", 8, `blank at byte 8 (remove it)`},
	{"1,maxlen= 6", 9, `blank at byte 9 (remove it, or write the value in single quotes)`},
	{"1,desc=a\tb", 8, `blank at byte 8 (remove it, or write the value in single quotes)`},
	{"1,desc=a\n", 8, `blank at byte 8 (remove it, or write the value in single quotes)`},
	{"1,desc='a' ", 10, `text at byte 10 after the closing quote (write a quote inside the value as \')`},

	// Commas, equals signs and paths.
	{"1,", 2, `empty option at byte 2 (remove the comma before it)`},
	{"1,,u8", 2, `empty option at byte 2 (remove the comma before it)`},
	{"1,u8,", 5, `empty option at byte 5 (remove the comma before it)`},
	{"1,=3", 2, `"=" at byte 2 without an option before it`},
	{"1,elem", 2, `path "elem" at byte 2 has no option (write one after it, as in "elem.maxlen=64")`},
	{"1,elem=3", 2, `path "elem" at byte 2 has no option (write one after it, as in "elem.maxlen=64")`},
	{"1,val.key", 2, `path "val.key" at byte 2 has no option (write one after it, as in "elem.maxlen=64")`},
	{"1,elem.=3", 2, `path "elem." at byte 2 has no option (write one after it, as in "elem.maxlen=64")`},
	{"1,.u8", 2, `unknown path "" in ".u8" at byte 2 (a path is made of elem, key and val, as in "elem.maxlen")`},
	{"1,elem..u8", 2, `unknown path "" in "elem..u8" at byte 2 (a path is made of elem, key and val, as in "elem.maxlen")`},
	{"1,maxlen.elem=3", 2, `unknown path "maxlen" in "maxlen.elem" at byte 2 (a path is made of elem, key and val, as in "elem.maxlen")`},
	{"1,items.u8", 2, `unknown path "items" in "items.u8" at byte 2 (did you mean "elem"?)`},
	{"1,val.Key.u8", 2, `unknown path "Key" in "val.Key.u8" at byte 2 (did you mean "key"?)`},
	{"1,values.u8", 2, `unknown path "values" in "values.u8" at byte 2 (did you mean "val"?)`},
	{"1," + strings.Repeat("elem.", 17) + "u8", 2, `path at byte 2 has more than 16 steps`},

	// Options that do not exist.
	{"3,maxlne=64", 2, `unknown option "maxlne" at byte 2 (did you mean "maxlen"?)`},
	{"3,max_len=64", 2, `unknown option "max_len" at byte 2 (did you mean "maxlen"?)`},
	{"3,max-len=64", 2, `unknown option "max-len" at byte 2 (did you mean "maxlen"?)`},
	{"3,MaxLen=64", 2, `unknown option "MaxLen" at byte 2 (did you mean "maxlen"?)`},
	{"3,elem.maxLength=64", 2, `unknown option "elem.maxLength" at byte 2 (did you mean "elem.maxlen"?)`},
	{"3,maxlen:64", 2, `unknown option "maxlen:64" at byte 2 (did you mean "maxlen=64"?)`},
	{"3,format:rfc3339", 2, `unknown option "format:rfc3339" at byte 2 (did you mean "time=rfc3339"?)`},
	{"3,key.u8:1", 2, `unknown option "key.u8:1" at byte 2 (did you mean "key.u8"?)`},
	{"3,defaultId=1", 2, `unknown option "defaultId" at byte 2 (did you mean "default_id"?)`},
	{"3,req", 2, `unknown option "req" at byte 2 (did you mean "required"?)`},
	{"3,u8,prsence", 5, `unknown option "prsence" at byte 5 (did you mean "presence"?)`},
	{"3,uint32", 2, `unknown option "uint32" at byte 2 (did you mean "u32"?)`},
	{"3,optional", 2, `unknown option "optional" at byte 2 (did you mean "presence"?)`},
	{"3,xyzzy", 2, `unknown option "xyzzy" at byte 2`},
	{"3,enmu", 2, `unknown option "enmu" at byte 2 (did you mean "enum"?)`},
	{"3,none", 2, `unknown option "none" at byte 2`},
	{"3,'u8'", 2, `unknown option "'u8'" at byte 2`},
	{"3,enum=0,1", 9, `unknown option "1" at byte 9 (the numbers of a list are separated by "|")`},
	{"3,omitempty", 2, `option "omitempty" at byte 2 does not exist here (a value at its default is always omitted: remove omitempty)`},
	{"3,elem.omitzero=1", 2, `option "elem.omitzero" at byte 2 does not exist here (a value at its default is always omitted: remove omitzero)`},
	{"3,keyasint", 2, `option "keyasint" at byte 2 does not exist here (ids are always integers: remove keyasint)`},
	{"3,toarray", 2, `option "toarray" at byte 2 does not exist here (not available, a struct is always written by its ids: remove toarray)`},
	{"3,omit_empty", 2, `unknown option "omit_empty" at byte 2 (a value at its default is always omitted: remove omitempty)`},

	// Options that exclude each other.
	{"3,u8,u8", 5, `option "u8" at byte 5 is given twice, first at byte 2 (keep one)`},
	{"3,maxlen=1,maxlen=x", 11, `option "maxlen" at byte 11 is given twice, first at byte 2 (keep one)`},
	{"3,elem.u8,u8,elem.u8", 13, `option "elem.u8" at byte 13 is given twice, first at byte 2 (keep one)`},
	{"3,u8,fp32", 5, `option "fp32" at byte 5: the width is u8 already, given at byte 2 (keep one)`},
	{"3,string,blob", 9, `option "blob" at byte 9: the wire form is string already, given at byte 2 (keep one)`},
	{"3,key.array,key.string", 12, `option "key.string" at byte 12: the wire form is array already, given at byte 2 (keep one)`},

	// Values.
	{"3,u8=1", 2, `option "u8" at byte 2 takes no value (write "u8")`},
	{"3,elem.required='", 2, `option "elem.required" at byte 2 takes no value (write "elem.required")`},
	{"3,presence=", 2, `option "presence" at byte 2 takes no value (write "presence")`},
	{"3,maxlen", 2, `option "maxlen" at byte 2 needs a value (such as "maxlen=64")`},
	{"3,default", 2, `option "default" at byte 2 needs a value (such as "default=''")`},
	{"3,elem.time,u8", 2, `option "elem.time" at byte 2 needs a value (such as "elem.time=unix")`},
	{"3,maxlen=", 2, `option "maxlen" at byte 2 has an empty value (write one, such as "maxlen=64")`},
	{"3,maxlen=''", 2, `option "maxlen" at byte 2 has an empty value (write one, such as "maxlen=64")`},
	{"3,default=,u8", 2, `option "default" at byte 2 has an empty value (write one, such as "default=''")`},
	{"3,name=''", 2, `option "name" at byte 2 has an empty value (write one, such as "name=total")`},
	{"3,elem.enum=''", 2, `option "elem.enum" at byte 2 has an empty value (write one, such as "elem.enum=0|1")`},
	{"3,bits=", 2, `option "bits" at byte 2 has an empty value (write one, such as "bits=0|3")`},
	{"3,default=a=b", 11, `"=" at byte 11 inside an unquoted value (write the value in single quotes)`},
	{`3,desc="a"`, 7, `double quote at byte 7 (write the value in single quotes)`},
	{"3,desc=it's", 9, `quote at byte 9 inside an unquoted value (write the whole value in single quotes, the inner quote as \')`},
	{"3,desc='it's'", 11, `text at byte 11 after the closing quote (write a quote inside the value as \')`},
	{"3,desc='a,b", 7, `quote at byte 7 is not closed`},
	{"3,desc='", 7, `quote at byte 7 is not closed`},
	{`3,desc='a\'`, 7, `quote at byte 7 is not closed`},
	{`3,desc='a\`, 9, `bad escape at byte 9 (there are \', \\, \n and \xHH)`},
	{`3,desc='\t'`, 8, `bad escape at byte 8 (there are \', \\, \n and \xHH)`},
	{`3,desc='\x4'`, 8, `bad escape at byte 8 (there are \', \\, \n and \xHH)`},
	{`3,desc='\x`, 8, `bad escape at byte 8 (there are \', \\, \n and \xHH)`},
	{`3,desc='\x+1'`, 8, `bad escape at byte 8 (there are \', \\, \n and \xHH)`},

	{"3,maxlen=0", 2, `option "maxlen" at byte 2: "0" is not a plain number from 1 to 2147483647`},
	{"3,maxlen=2147483648", 2, `option "maxlen" at byte 2: "2147483648" is not a plain number from 1 to 2147483647`},
	{"3,maxlen=064", 2, `option "maxlen" at byte 2: "064" is not a plain number from 1 to 2147483647`},
	{"3,maxlen=0x40", 2, `option "maxlen" at byte 2: "0x40" is not a plain number from 1 to 2147483647`},
	{"3,maxlen=1_0", 2, `option "maxlen" at byte 2: "1_0" is not a plain number from 1 to 2147483647`},
	{"3,maxlen=64K", 2, `option "maxlen" at byte 2: "64K" is not a plain number from 1 to 2147483647`},
	{"3,maxlen=' 6'", 2, `option "maxlen" at byte 2: " 6" is not a plain number from 1 to 2147483647`},
	{"3,count=-1", 2, `option "count" at byte 2: "-1" is not a plain number from 1 to 2147483647`},
	{"3,count=+1", 2, `option "count" at byte 2: "+1" is not a plain number from 1 to 2147483647`},
	{",maxsize=1e3", 1, `option "maxsize" at byte 1: "1e3" is not a plain number from 1 to 2147483647`},
	{"3,decimals=16", 2, `option "decimals" at byte 2: "16" is not a plain number from 0 to 15`},
	{"3,decimals=-0", 2, `option "decimals" at byte 2: "-0" is not a plain number from 0 to 15`},
	{"3,default_id=01", 2, `option "default_id" at byte 2: "01" is not a plain number from 0 to 2147483647`},
	{"3,default_id=2147483648", 2, `option "default_id" at byte 2: "2147483648" is not a plain number from 0 to 2147483647`},
	{"3,enum=a", 2, `option "enum" at byte 2: "a" is not a plain number from -2147483648 to 2147483647`},
	{"3,enum=0|2147483648", 2, `option "enum" at byte 2: "2147483648" is not a plain number from -2147483648 to 2147483647`},
	{"3,enum=-2147483649", 2, `option "enum" at byte 2: "-2147483649" is not a plain number from -2147483648 to 2147483647`},
	{"3,enum=-0", 2, `option "enum" at byte 2: "-0" is not a plain number from -2147483648 to 2147483647`},
	{"3,enum=0||1", 2, `option "enum" at byte 2: the list has an empty member (one "|" between two numbers)`},
	{"3,enum=|", 2, `option "enum" at byte 2: the list has an empty member (one "|" between two numbers)`},
	{"3,enum=0|-2|0", 2, `option "enum" at byte 2: 0 is listed twice`},
	{"3,bits=64", 2, `option "bits" at byte 2: "64" is not a plain number from 0 to 63`},
	{"3,bits=-1", 2, `option "bits" at byte 2: "-1" is not a plain number from 0 to 63`},
	{"3,bits=3|3", 2, `option "bits" at byte 2: 3 is listed twice`},
	{"3,bits=3|", 2, `option "bits" at byte 2: the list has an empty member (one "|" between two numbers)`},
	{"3,time=RFC3339", 2, `option "time" at byte 2: unknown form "RFC3339" (there are unix, unixmilli, unixmicro, unixnano, rfc3339 and struct)`},
	{"3,time=none", 2, `option "time" at byte 2: unknown form "none" (there are unix, unixmilli, unixmicro, unixnano, rfc3339 and struct)`},
	{"3,duration=sec", 2, `option "duration" at byte 2: unknown form "sec" (there are ns, us, ms and s)`},
	{"3,duration=none", 2, `option "duration" at byte 2: unknown form "none" (there are ns, us, ms and s)`},

	// The first fault counts.
	{"08,maxlne=64", 0, `id "08" at byte 0 has a leading zero (remove it)`},
	{"1,maxlen=0,xyzzy", 2, `option "maxlen" at byte 2: "0" is not a plain number from 1 to 2147483647`},
}

func TestParseErrors(t *testing.T) {
	for _, tt := range errorTests {
		got, err := Parse(tt.tag)
		if diff := cmp.Diff(Tag{}, got); diff != "" {
			t.Errorf("Parse(%q) with an error (-zero +got):\n%s", tt.tag, diff)
		}
		var e *Error
		if !errors.As(err, &e) {
			t.Errorf("Parse(%q) = %v, want an *Error", tt.tag, err)
			continue
		}
		want := &Error{Tag: tt.tag, Pos: tt.pos, Reason: tt.reason}
		if diff := cmp.Diff(want, e); diff != "" {
			t.Errorf("Parse(%q) (-want +got):\n%s", tt.tag, diff)
		}
	}
}

func TestErrorText(t *testing.T) {
	_, err := Parse("3,maxlne=64")
	want := `tag "3,maxlne=64": unknown option "maxlne" at byte 2 (did you mean "maxlen"?)`
	if err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}

func TestDeepestPath(t *testing.T) {
	tag, err := Parse("1," + strings.Repeat("val.", 16) + "u8")
	if err != nil {
		t.Fatal(err)
	}
	o := &tag.Options
	for range 16 {
		o = o.Val
	}
	if o.Width != WidthU8 {
		t.Errorf("width is %v, want u8", o.Width)
	}
}

// TestTableIsCovered asserts that the tests above have every option, accepted
// or refused.
func TestTableIsCovered(t *testing.T) {
	for _, row := range options {
		covered := false
		for _, tt := range parseTests {
			covered = covered || tt.want.Pos(row.name) >= 0
		}
		for _, tt := range errorTests {
			covered = covered || row.refused != "" && strings.HasSuffix(tt.reason, "("+row.refused+")")
		}
		if !covered {
			t.Errorf("no test of %s", row.name)
		}
	}
}

func TestExamplesParse(t *testing.T) {
	for _, row := range options {
		if row.refused != "" {
			continue
		}
		if _, err := Parse("1," + row.example()); err != nil {
			t.Errorf("example of %s: %v", row.name, err)
		}
		if (row.takes == takesNone) != (row.sample == "") {
			t.Errorf("%s: sample %q does not go with what it takes", row.name, row.sample)
		}
	}
}

func TestAliases(t *testing.T) {
	for alias, name := range aliases {
		if row := find(name); row == nil || row.refused != "" {
			t.Errorf("alias %q leads to %q, which is no option", alias, name)
		}
		if alias != plain(alias) {
			t.Errorf("alias %q can never be met, want %q", alias, plain(alias))
		}
		if find(alias) != nil {
			t.Errorf("alias %q is an option", alias)
		}
	}
	for alias, name := range stepAliases {
		if new(Options).inner(name) == nil {
			t.Errorf("alias %q leads to %q, which is no step", alias, name)
		}
		if alias != plain(alias) {
			t.Errorf("alias %q can never be met, want %q", alias, plain(alias))
		}
	}
}

func TestDistance(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want int
	}{
		{"", "", 0},
		{"", "abc", 3},
		{"abc", "", 3},
		{"abc", "abc", 0},
		{"abc", "abd", 1},
		{"abc", "acb", 1},
		{"abc", "ab", 1},
		{"abc", "xabc", 1},
		{"maxlne", "maxlen", 1},
		{"kitten", "sitting", 3},
		{"abcdefgh", "a", 7},
	} {
		if got := distance(tt.a, tt.b, 100); got != tt.want {
			t.Errorf("distance(%q, %q) = %d, want %d", tt.a, tt.b, got, tt.want)
		}
	}
	if got := distance("abcdef", "a", 3); got != 3 {
		t.Errorf("distance with limit 3 = %d", got)
	}
}

func TestOptionsPos(t *testing.T) {
	tag, err := Parse("1,count=2,elem.maxlen=3")
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		o    *Options
		key  string
		want int
	}{
		{&tag.Options, "count", 2},
		{&tag.Options, "maxlen", -1},
		{&tag.Options, "elem.maxlen", -1},
		{tag.Elem, "maxlen", 10},
		{tag.Elem, "count", -1},
		{tag.Val, "count", -1},
	} {
		if got := tt.o.Pos(tt.key); got != tt.want {
			t.Errorf("Pos(%q) = %d, want %d", tt.key, got, tt.want)
		}
	}
}

func TestNames(t *testing.T) {
	for _, tt := range []struct{ got, want string }{
		{FormNone.String(), "none"},
		{FormArray.String(), "array"},
		{Form(4).String(), "Form(4)"},
		{WidthNone.String(), "none"},
		{WidthU8.String(), "u8"},
		{WidthFP64.String(), "fp64"},
		{Width(11).String(), "Width(11)"},
		{TimeNone.String(), "none"},
		{TimeStruct.String(), "struct"},
		{TimeForm(7).String(), "TimeForm(7)"},
		{DurationNone.String(), "none"},
		{DurationS.String(), "s"},
		{DurationForm(255).String(), "DurationForm(255)"},
	} {
		if tt.got != tt.want {
			t.Errorf("got %q, want %q", tt.got, tt.want)
		}
	}
}

func TestWidth(t *testing.T) {
	type facts struct {
		Bits          int
		Signed, Float bool
	}
	for w, want := range map[Width]facts{
		WidthNone: {},
		WidthU8:   {Bits: 8},
		WidthU16:  {Bits: 16},
		WidthU32:  {Bits: 32},
		WidthU64:  {Bits: 64},
		WidthI8:   {Bits: 8, Signed: true},
		WidthI16:  {Bits: 16, Signed: true},
		WidthI32:  {Bits: 32, Signed: true},
		WidthI64:  {Bits: 64, Signed: true},
		WidthFP32: {Bits: 32, Float: true},
		WidthFP64: {Bits: 64, Float: true},
		Width(11): {},
	} {
		got := facts{w.Bits(), w.Signed(), w.Float()}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%v (-want +got):\n%s", w, diff)
		}
	}
}
