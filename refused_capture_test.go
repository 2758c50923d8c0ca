package sofab_test

import (
	"bytes"
	"testing"
	"testing/iotest"

	"github.com/sofab-go/sofab"
)

// A raw value is over its bound, and malformed behind that: what the decoder says, then
// and later, does not depend on how much of it was at hand.
func TestRefusedRawValueThatIsMalformed(t *testing.T) {
	type holder struct {
		Raw   sofab.RawMessage `sofab:"0,maxlen=3"`
		Field sofab.RawField   `sofab:"1"`
	}
	codec := newCodec(sofab.Options{Limits: sofab.Limits{Blob: 3}})
	for _, c := range []struct{ data, refused, final string }{
		{
			"06 00 01 08 02 0d 01 5d 07 07", "sofab: holder.Raw: 4 bytes are more than maxlen=3 allows at offset 4",
			"sofab: element word is neither fp32 nor fp64 at offset 7",
		},
		{
			"0e 00 01 08 02 0a 0c 07 07", "sofab: holder.Field: 4 bytes are over the limit of 3 at offset 4; declare a bound in the tag or raise Options.Limits.Blob",
			"sofab: fixlen word has a reserved subtype at offset 6",
		},
	} {
		data := unhex(t, c.data)
		for name, d := range map[string]*sofab.Decoder{
			"at once":      codec.NewDecoder(bytes.NewReader(data)),
			"byte by byte": codec.NewDecoder(iotest.OneByteReader(bytes.NewReader(data))),
		} {
			for i, want := range []string{c.refused, c.final, c.final} {
				if err := d.Decode(new(holder)); err == nil || err.Error() != want {
					t.Errorf("%s, %s, Decode %d: got %v, want %s", c.data, name, i, err, want)
				}
			}
			if err := d.Skip(); err == nil || err.Error() != c.final {
				t.Errorf("%s, %s, Skip: got %v, want %s", c.data, name, err, c.final)
			}
		}
	}
}
