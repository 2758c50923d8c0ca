package sofab

import (
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"strconv"
	"strings"

	"github.com/sofab-go/sofab/stream"
	"github.com/sofab-go/sofab/wire"
)

// Sentinels that errors of this package are, by [errors.Is].
var (
	// ErrInvalid: the bytes are malformed, or over a bound that a tag declares.
	ErrInvalid = wire.ErrInvalid
	// ErrIncomplete: the input ends inside a message. It is also
	// [io.ErrUnexpectedEOF].
	ErrIncomplete = stream.ErrIncomplete
	// ErrLimit: well-formed so far, but over a cap of the receiver; see [Limits].
	ErrLimit = stream.ErrLimit
	// ErrUnknownField: a field that the destination does not declare, where that is
	// refused.
	ErrUnknownField = errors.New("unknown field")
	// ErrPartialMessage: an [Encoder] failed after the first part of a message was
	// written, so that what follows on the stream could not be told from it.
	ErrPartialMessage = errors.New("message is written only in part")
)

// A SyntaxError says where a message is malformed or ends.
type SyntaxError struct {
	Offset int64  // of the unit that is wrong, in bytes from the start of the input; its length where it ends too early
	Path   string // of the value that it belongs to, "" for the message itself
	Err    error  // is ErrInvalid or ErrIncomplete
}

func (e *SyntaxError) Error() string {
	remedy := ""
	if _, ok := e.Err.(strayEnd); ok {
		remedy = "; messages that an Encoder terminated are read with NewDecoder"
	}
	return fmt.Sprintf("sofab: %s%v at offset %d%s", prefix(e.Path), e.Err, e.Offset, remedy)
}

// Unwrap returns Err.
func (e *SyntaxError) Unwrap() error { return e.Err }

// A BoundError says that a value is over a bound that its tag or its Go type declares.
// On decode it is [ErrInvalid].
type BoundError struct {
	Path   string // of the value
	Offset int64  // of the word that shows it, in bytes from the start of the input; -1 on encode
	Bound  string // "maxlen", "maxsize", "count", "len", or a width: "u8", "i32", …
	Limit  int64  // bytes, elements, or the largest value of the width
	Got    int64  // what was found, at most math.MaxInt64

	exact string // what was found, where it is not an int64
}

func (e *BoundError) Error() string {
	got := e.exact
	if got == "" {
		got = strconv.FormatInt(e.Got, 10)
	}
	var s string
	switch e.Bound {
	case "maxlen", "maxsize":
		s = fmt.Sprintf("%s bytes are more than %s=%d allows", got, e.Bound, e.Limit)
	case "len":
		s = fmt.Sprintf("%s bytes where exactly %d are needed", got, e.Limit)
	case "count":
		s = fmt.Sprintf("%s elements are more than count=%d allows", got, e.Limit)
	default:
		s = fmt.Sprintf("%s does not fit %s", got, e.Bound)
	}
	if e.Offset >= 0 {
		s += " at offset " + strconv.FormatInt(e.Offset, 10)
	}
	return "sofab: " + prefix(e.Path) + s
}

// setGot sets what was found.
func (e *BoundError) setGot(u uint64) {
	if e.Got = int64(u); u > math.MaxInt64 {
		e.Got, e.exact = math.MaxInt64, strconv.FormatUint(u, 10)
	}
}

// Is reports whether target is [ErrInvalid] and e comes from decoding.
func (e *BoundError) Is(target error) bool { return e.Offset >= 0 && target == ErrInvalid }

// A LimitError says that a message is over a cap of the receiver. It is [ErrLimit].
type LimitError struct {
	Path   string // of the value, "" for the message itself
	Offset int64  // of the word that shows it, in bytes from the start of the input
	Kind   string // the field of Limits: "Array", "String", "Blob", "Message", "Memory"
	Limit  int64  // elements or bytes
	Got    int64  // what was asked for
}

func (e *LimitError) Error() string {
	unit, remedy := "bytes", "raise"
	switch e.Kind {
	case "Array":
		unit, remedy = "elements", "declare a bound in the tag or raise"
	case "String", "Blob":
		remedy = "declare a bound in the tag or raise"
	}
	return fmt.Sprintf("sofab: %s%d %s are over the limit of %d at offset %d; %s Options.Limits.%s",
		prefix(e.Path), e.Got, unit, e.Limit, e.Offset, remedy, e.Kind)
}

// Is reports whether target is [ErrLimit].
func (e *LimitError) Is(target error) bool { return target == ErrLimit }

// An UnmarshalTypeError says that a field arrived with another wire type than its Go
// type has, where that is refused ([Options] Strict).
type UnmarshalTypeError struct {
	Value  string       // what arrived, in the format's words: "signed", "string", …
	Type   reflect.Type // Go type of the field
	Offset int64        // of the field's header, in bytes from the start of the input
	Struct string       // name of the struct that holds the field
	Field  string       // path of the field
	ID     wire.ID      // that it arrived with
}

func (e *UnmarshalTypeError) Error() string {
	return fmt.Sprintf("sofab: %s%s of id %d does not go into a Go value of type %v at offset %d", prefix(e.Field), e.Value, e.ID, e.Type, e.Offset)
}

// An UnknownFieldError says that a message has a field that the destination does not
// declare. It is [ErrUnknownField].
type UnknownFieldError struct {
	Path   string // of the struct that does not declare it
	Offset int64  // of its header, in bytes from the start of the input
	ID     wire.ID
}

func (e *UnknownFieldError) Error() string {
	return fmt.Sprintf("sofab: %sunknown field with id %d at offset %d", prefix(e.Path), e.ID, e.Offset)
}

// Is reports whether target is [ErrUnknownField].
func (e *UnknownFieldError) Is(target error) bool { return target == ErrUnknownField }

// A MissingFieldError says that a required field did not arrive. From [Feeder.Feed] it
// is [ErrIncomplete], because the field may still come.
type MissingFieldError struct {
	Path string // of the field
	ID   wire.ID

	open bool // more may come
}

func (e *MissingFieldError) Error() string {
	return fmt.Sprintf("sofab: %srequired field with id %d is missing", prefix(e.Path), e.ID)
}

// Is reports whether target is [ErrIncomplete] and more may come.
func (e *MissingFieldError) Is(target error) bool { return e.open && isIncomplete(target) }

// isIncomplete reports whether target is what ErrIncomplete is.
func isIncomplete(target error) bool { return target == ErrIncomplete || target == io.ErrUnexpectedEOF }

// A TagError is one fault of a Go type: of a tag, or of a field that cannot be
// encoded. All faults of a type and of what it reaches are joined.
type TagError struct {
	Type   reflect.Type // the struct, or the type itself
	Field  string       // "" for a fault of the type
	Tag    string       // text of the tag, "" without one
	Pos    int          // byte position in Tag, or -1
	Reason string       // what is wrong and what to do
}

func (e *TagError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "sofab: type %s: ", typeText(e.Type))
	if e.Pos >= 0 {
		fmt.Fprintf(&b, "field %s: tag %q: ", e.Field, e.Tag)
	}
	b.WriteString(e.Reason)
	return b.String()
}

// typeText is the name of a type. A struct without a name is told by its first fields,
// not by the whole of its source.
func typeText(t reflect.Type) string {
	if t.Kind() != reflect.Struct || t.Name() != "" {
		return t.String()
	}
	const shown = 3
	var names []string
	for i := range min(t.NumField(), shown) {
		names = append(names, t.Field(i).Name)
	}
	if t.NumField() > shown {
		names = append(names, "…")
	}
	return "struct{" + strings.Join(names, ", ") + "}"
}

// An InvalidUnmarshalError says that the destination is not a non-nil pointer.
type InvalidUnmarshalError struct {
	Type reflect.Type // of the argument, nil for an untyped nil
	Path string       // "" for the argument itself
}

func (e *InvalidUnmarshalError) Error() string {
	switch {
	case e.Type == nil:
		return "sofab: cannot unmarshal into nil; pass a pointer"
	case e.Type.Kind() != reflect.Pointer:
		return fmt.Sprintf("sofab: cannot unmarshal into a %v; pass a pointer to it", e.Type)
	}
	return fmt.Sprintf("sofab: cannot unmarshal into a nil %v; pass a pointer to a value", e.Type)
}

// An UnsupportedTypeError says that there is no wire form for a value of this type. It is
// the error of an untyped nil; that of a type is a [TagError], which says why.
type UnsupportedTypeError struct {
	Type reflect.Type // nil for an untyped nil
	Path string
}

func (e *UnsupportedTypeError) Error() string {
	if e.Type == nil {
		return fmt.Sprintf("sofab: %scannot marshal an untyped nil", prefix(e.Path))
	}
	return fmt.Sprintf("sofab: %stype %v has no wire form", prefix(e.Path), e.Type)
}

// An UnsupportedValueError says that a value cannot be written, although its type can.
type UnsupportedValueError struct {
	Value reflect.Value // may be the zero Value
	Str   string        // why
	Path  string        // of the value
}

func (e *UnsupportedValueError) Error() string {
	return "sofab: " + prefix(e.Path) + e.Str
}

// A MarshalerError is the error of a method that a type brings along, or says what is
// wrong with what it has returned. On decode it is [ErrInvalid], unless the method's
// error is [ErrLimit]. Offsets in Err count from the start of what the method was given
// or has returned.
type MarshalerError struct {
	Type   reflect.Type // that has the method
	Err    error
	Method string // name of the method
	Path   string // of the value
	Offset int64  // of the last header that was read, in bytes from the start of the input; -1 on encode
}

func (e *MarshalerError) Error() string {
	s := fmt.Sprintf("sofab: %s%s of %v: %s", prefix(e.Path), e.Method, e.Type, unprefixed(e.Err))
	if e.Offset >= 0 {
		s += " at offset " + strconv.FormatInt(e.Offset, 10)
	}
	return s
}

// Is reports whether target is [ErrInvalid] and e comes from decoding.
func (e *MarshalerError) Is(target error) bool {
	return e.Offset >= 0 && target == ErrInvalid && !errors.Is(e.Err, ErrLimit)
}

// Unwrap returns Err.
func (e *MarshalerError) Unwrap() error { return e.Err }

// unprefixed is the text of an error that becomes part of another one.
func unprefixed(err error) string { return strings.TrimPrefix(err.Error(), "sofab: ") }

// A partialError is the error of an [Encoder] that failed inside a message.
type partialError struct{ cause error }

func (e *partialError) Error() string {
	return "sofab: " + ErrPartialMessage.Error() + ": " + unprefixed(e.cause)
}

// Is reports whether target is [ErrPartialMessage].
func (e *partialError) Is(target error) bool { return target == ErrPartialMessage }

// Unwrap returns the cause.
func (e *partialError) Unwrap() error { return e.cause }

// A strayEnd is the fault of a sequence end at depth 0, which a terminated message that
// is read as a bare one shows.
type strayEnd struct{ error }

// Unwrap returns the fault as the parser found it.
func (e strayEnd) Unwrap() error { return e.error }

// invalidUTF8 is the fault of a string that is not UTF-8.
type invalidUTF8 struct{ at int }

func (e invalidUTF8) Error() string        { return "invalid UTF-8 at byte " + strconv.Itoa(e.at) }
func (e invalidUTF8) Is(target error) bool { return target == ErrInvalid }

func prefix(path string) string {
	if path == "" {
		return ""
	}
	return path + ": "
}
