package stream

import (
	"errors"
	"fmt"
	"io"

	"github.com/sofab-go/sofab/wire"
)

// Sentinels that errors of this package are, by [errors.Is].
var (
	// ErrInvalid: the bytes are malformed, or over a bound of the schema.
	ErrInvalid = wire.ErrInvalid
	// ErrIncomplete: the input ends inside a message. It is also
	// [io.ErrUnexpectedEOF]. Nothing is lost: the call that returned it can be
	// repeated when more bytes have arrived.
	ErrIncomplete error = incomplete{}
	// ErrLimit: well-formed so far, but over a cap of the receiver.
	ErrLimit = errors.New("receiver limit exceeded")
	// ErrMismatch: a typed read was asked for another type than the field has.
	// Nothing was consumed; Next steps over the field.
	ErrMismatch = errors.New("field has another type")
	// ErrBufferFull: a buffer without a sink has no room for the message.
	ErrBufferFull = errors.New("buffer is full")
	// ErrArgument: the call itself is wrong; nothing was read or written.
	ErrArgument = errors.New("invalid argument")
)

type incomplete struct{}

func (incomplete) Error() string        { return "message ends inside a field or sequence" }
func (incomplete) Is(target error) bool { return target == io.ErrUnexpectedEOF }

// Faults of the sequence of units, which no single unit shows.
var (
	errBalance = structural("sequence end without an open sequence")
	errDepth   = structural("more than 255 sequences are open")
)

// errBound is the fault of a value that is longer than the schema allows.
var errBound = structural("value is longer than its bound")

type structural string

func (e structural) Error() string        { return string(e) }
func (e structural) Is(target error) bool { return target == ErrInvalid }

// SyntaxError says where a message is malformed, ends, or is over a cap.
type SyntaxError struct {
	Offset int64 // of the unit that is wrong, in bytes from the start of the input
	Err    error // is ErrInvalid, ErrIncomplete or ErrLimit
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("sofab: %v at offset %d", e.Err, e.Offset)
}

// Unwrap returns Err.
func (e *SyntaxError) Unwrap() error { return e.Err }

func argumentError(format string, args ...any) error {
	return fmt.Errorf("sofab: %w: %s", ErrArgument, fmt.Sprintf(format, args...))
}
