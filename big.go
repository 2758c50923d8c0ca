package sofab

import (
	"encoding"
	"encoding/binary"
	"reflect"
	"strings"

	"github.com/sofab-go/sofab/tags"
)

// The numbers of math/big are known by name, and used by those of their methods that do
// not mention their types, so that this package does not link math/big.

// bigForm is the function for a type of math/big, nil for all others.
func bigForm(t reflect.Type) fillFunc {
	if t.PkgPath() != "math/big" || t.Kind() != reflect.Struct {
		return nil
	}
	switch t.Name() {
	case "Int":
		return bigIntForm
	case "Float":
		return bigFloatForm
	case "Rat":
		return bigRatForm
	}
	return nil
}

// bigInt is a *big.Int. Its gob form is a byte with a version and the sign in the lowest
// bit, and the big-endian magnitude.
type bigInt interface {
	Sign() int
	GobEncode() ([]byte, error)
	GobDecode([]byte) error
}

// The first byte of a big.Int on the wire. The magnitude follows, big-endian.
const (
	bigZero     = 0 // and nothing follows
	bigPositive = 1
	bigNegative = 2
)

// gobInt is the first byte of the gob form of a big.Int that is not negative.
const gobInt = 1 << 1

// bigIntForm fills the form of a big.Int: a blob of a sign byte and the magnitude
// without leading zeros. An empty blob is zero as well.
func bigIntForm(c *compiler, f *form, t reflect.Type, o *tags.Options, s site) bool {
	if !c.fits(o, "N", t, s) {
		return false
	}
	x := c.standIn(f, reflect.TypeFor[[]byte](), &tags.Options{MaxLen: o.MaxLen}, s)
	x.load, x.store, x.isZero = loadBigInt, storeBigInt, isZeroBig
	return true
}

// isZeroBig is for Int and Rat.
func isZeroBig(f *form, value pointer) bool {
	return value.reflectPointer(f.typ).Interface().(interface{ Sign() int }).Sign() == 0
}

func loadBigInt(f *form, value, standIn pointer) error {
	n := value.reflectPointer(f.typ).Interface().(bigInt)
	b, err := n.GobEncode()
	if err != nil {
		return methodError(f, "GobEncode", err)
	}
	switch n.Sign() {
	case 0:
		b = []byte{bigZero}
	case 1:
		b[0] = bigPositive
	default:
		b[0] = bigNegative
	}
	*at[[]byte](standIn) = b
	return nil
}

// storeBigInt takes leading zeros in the magnitude for what they are.
func storeBigInt(d *decodeState, f *form, value, standIn pointer) error {
	b := *at[[]byte](standIn)
	f.mem.reset(value)
	switch {
	case len(b) == 0:
		return nil
	case b[0] > bigNegative:
		return d.refuse("big.Int with the sign byte %d; want 0, 1 or 2", b[0])
	}
	zero := strings.Trim(stringOf(b[1:]), "\x00") == ""
	switch {
	case b[0] == bigZero && len(b) > 1:
		return d.refuse("big.Int with the sign of zero and a magnitude")
	case b[0] != bigZero && zero:
		return d.refuse("big.Int with a sign and the magnitude zero")
	case b[0] == bigZero:
		return nil
	}
	code := append([]byte{gobInt + b[0] - bigPositive}, b[1:]...)
	return d.methodError(f, "GobDecode", value.reflectPointer(f.typ).Interface().(bigInt).GobDecode(code))
}

// maxBigText is the longest text of a big.Float or big.Rat where the tag has no maxlen,
// in bytes. Reading decimals takes time in the square of their number.
const maxBigText = 1 << 16

// bigText fills the form of a big number that stands on the wire as text.
func (c *compiler) bigText(f *form, t reflect.Type, o *tags.Options, s site) *proxy {
	if !c.fits(o, "X", t, s) {
		return nil
	}
	if o.Form == tags.FormBlob {
		c.fault(s, o.Pos("blob"), "option \"blob\" does not go with type %v, which stands on the wire as text", t)
		return nil
	}
	text := &tags.Options{Form: tags.FormString, MaxLen: o.MaxLen}
	if text.MaxLen == 0 {
		text.MaxLen = maxBigText
	}
	return c.standIn(f, reflect.TypeFor[[]byte](), text, s)
}

// bigRatForm fills the form of a big.Rat: the string 3/4, or 3 for a whole number.
func bigRatForm(c *compiler, f *form, t reflect.Type, o *tags.Options, s site) bool {
	x := c.bigText(f, t, o, s)
	if x == nil {
		return false
	}
	x.load, x.store, x.isZero = loadText, storeBigRat, isZeroBig
	return true
}

// storeBigRat reads what is written here and nothing more: an exponent would let a few
// bytes stand for a number without bound.
func storeBigRat(d *decodeState, f *form, value, standIn pointer) error {
	text := stringOf(*at[[]byte](standIn))
	if strings.Trim(text, "+-/0123456789") != "" || !setBigText(f, value, text) {
		return d.refuse("%.64q is not a fraction such as -3/4", text)
	}
	return nil
}

// setBigText sets a value from its text, "" for zero. It reports whether it could.
func setBigText(f *form, value pointer, text string) bool {
	if text == "" {
		f.mem.reset(value)
		return true
	}
	return value.reflectPointer(f.typ).Interface().(encoding.TextUnmarshaler).UnmarshalText([]byte(text)) == nil
}

// bigFloat is a *big.Float.
type bigFloat interface {
	Sign() int
	Text(format byte, precision int) string
	GobDecode([]byte) error
}

// bigFloatForm fills the form of a big.Float: a string with its exact value. That is
// the shortest decimal where reading it with 64 bits gives the same value, else
// hexadecimal as 0x1.8p+01. The value has at least 64 bits of precision when it comes
// back, and as many more as its digits need; precision and rounding mode as such do not
// stand on the wire.
func bigFloatForm(c *compiler, f *form, t reflect.Type, o *tags.Options, s site) bool {
	x := c.bigText(f, t, o, s)
	if x == nil {
		return false
	}
	x.load, x.store, x.isZero = loadBigFloat, storeBigFloat, isZeroBig
	return true
}

func loadBigFloat(f *form, value, standIn pointer) error {
	n := value.reflectPointer(f.typ).Interface().(bigFloat)
	text := n.Text('x', -1)
	if decimal, ok := exactDecimal(f, n, text); ok {
		text = decimal
	}
	*at[[]byte](standIn) = []byte(text)
	return nil
}

// exactDecimal is the shortest decimal text of a number, if reading it gives the same
// number. It is not tried for large exponents, because it takes time in proportion.
func exactDecimal(f *form, n bigFloat, hexadecimal string) (string, bool) {
	const maxExponent = len("+999")
	if _, exponent, _ := strings.Cut(hexadecimal, "p"); len(exponent) > maxExponent {
		return "", false
	}
	text := n.Text('g', -1)
	again := newValue(f.typ)
	ok := setBigFloat(f, again, text) && again.reflectPointer(f.typ).Interface().(bigFloat).Text('x', -1) == hexadecimal
	return text, ok
}

func storeBigFloat(d *decodeState, f *form, value, standIn pointer) error {
	text := stringOf(*at[[]byte](standIn))
	if !setBigFloat(f, value, text) {
		return d.refuse("%.64q is not a number", text)
	}
	return nil
}

// setBigFloat sets a value with as much precision as the digits of its text can need,
// at least 64 bits. It reports whether it could.
func setBigFloat(f *form, value pointer, text string) bool {
	f.mem.reset(value)
	digits, hexadecimal := strings.CutPrefix(strings.TrimLeft(text, "+-"), "0x")
	exponent := "e"
	if hexadecimal {
		exponent = "p"
	}
	digits, _, _ = strings.Cut(digits, exponent)
	zero := floatZero(max(64, 4*uint32(len(digits))))
	return value.reflectPointer(f.typ).Interface().(bigFloat).GobDecode(zero[:]) == nil && setBigText(f, value, text)
}

// floatZero is the gob form of a big.Float that is zero with a precision: a version, a
// byte with rounding mode, accuracy (1 is exact), kind and sign, and the precision.
func floatZero(precision uint32) [6]byte {
	zero := [6]byte{1, 1 << 3}
	binary.BigEndian.PutUint32(zero[2:], precision)
	return zero
}
