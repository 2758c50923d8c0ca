package wire

import "errors"

// Codes that stand in place of a length when nothing was consumed.
const (
	More          = -(iota + 1) // the input ends inside the unit
	BadVarint                   // a varint is longer than 64 bits
	BadID                       // an id is above MaxID
	BadSubtype                  // a fixlen word has a reserved subtype
	BadFloatWidth               // an fp32 or fp64 has not 4 or 8 bytes
	BadLength                   // a length is above MaxFixlen
	BadCount                    // a count is above MaxArray
	BadElement                  // an element word is not fp32 of 4 or fp64 of 8 bytes
	BadWidth                    // an integer does not fit the declared width
)

// ErrInvalid is what every error of malformed bytes is, in this package and in
// those above it: errors.Is(err, ErrInvalid).
var ErrInvalid = errors.New("malformed message")

// ErrMore is the error of the code More.
var ErrMore = errors.New("more bytes needed")

// invalid is an error of malformed bytes.
type invalid string

func (e invalid) Error() string        { return string(e) }
func (e invalid) Is(target error) bool { return target == ErrInvalid }

var codeErrors = [...]error{
	-More:          ErrMore,
	-BadVarint:     invalid("varint is longer than 64 bits"),
	-BadID:         invalid("id is above 2147483647"),
	-BadSubtype:    invalid("fixlen word has a reserved subtype"),
	-BadFloatWidth: invalid("length of a float is not that of its type"),
	-BadLength:     invalid("length is above 2147483647"),
	-BadCount:      invalid("count is above 2147483647"),
	-BadElement:    invalid("element word is neither fp32 nor fp64"),
	-BadWidth:      invalid("integer does not fit its declared width"),
}

// Err is the error of a negative length that a Consume function returned. The
// same code always gives the same error value; all but that of [More] are
// [ErrInvalid]. Err of a length that is not negative is nil.
func Err(n int) error {
	if n >= 0 {
		return nil
	}
	return codeErrors[-n]
}
