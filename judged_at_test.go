package sofab_test

import (
	"errors"
	"testing"

	"github.com/sofab-go/sofab"
)

// A value of any wire type has no words of its own, so that what is over a limit is at
// its header, not at the words of a field before it.
func TestLimitIsAtHeaderOfRawValue(t *testing.T) {
	type holder struct {
		Text   string           `sofab:"0"`
		Fields []sofab.RawField `sofab:"1"`
	}
	codec := newCodec(sofab.Options{Limits: sofab.Limits{Array: 2}})
	memory := newCodec(sofab.Options{Limits: sofab.Limits{Memory: 1}})
	for _, c := range []struct {
		data   string
		codec  *sofab.Codec
		kind   string
		offset int64
	}{
		{"02 0a 61 0e 12 0a 62 07", codec, "Array", 4},
		{"02 0a 61 0e 13 01 05 07", codec, "Array", 4},
		{"02 0a 61 0e 02 0a 62 15 00 20 07", codec, "Array", 7},
		{"02 0a 61 0e f2 0f 0a 62 07", memory, "Memory", 4},
		{"02 0a 61 0e f3 0f 01 01 07", memory, "Memory", 4},
	} {
		data := unhex(t, c.data)
		whole := c.codec.Unmarshal(data, new(holder))
		var e *sofab.LimitError
		if !errors.As(whole, &e) || e.Kind != c.kind || e.Offset != c.offset {
			t.Errorf("%s: %v", c.data, whole)
		}
		f, err := c.codec.NewFeeder(new(holder))
		if err != nil {
			t.Fatal(err)
		}
		if err := feedTo(f, data, 1); err == nil || err.Error() != whole.Error() {
			t.Errorf("%s byte by byte: %v, at once: %v", c.data, err, whole)
		}
	}
}
