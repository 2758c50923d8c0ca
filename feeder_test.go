package sofab_test

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/sofab-go/sofab"
)

func newFeeder(t testing.TB, c *sofab.Codec, v any) *sofab.Feeder {
	t.Helper()
	f, err := c.NewFeeder(v)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestFeedVerdicts compares what each Feed says with the verdict on all bytes so far.
func TestFeedVerdicts(t *testing.T) {
	codec := newCodec(sofab.Options{})
	data := mustMarshal(t, &itemValue)
	for size := 1; size <= len(data)+1; size++ {
		var got item
		f := newFeeder(t, codec, &got)
		for at := 0; at < len(data); at += size {
			chunk := bytes.Clone(data[at:min(at+size, len(data))])
			err := f.Feed(chunk)
			scrub(chunk)
			want := sofab.Unmarshal(data[:min(at+size, len(data))], new(item))
			if fmt.Sprint(err) != fmt.Sprint(want) || errors.Is(err, sofab.ErrIncomplete) != (want != nil) {
				t.Fatalf("chunks of %d: at %d: %v, want %v", size, at, err, want)
			}
		}
		if diff := cmp.Diff(itemValue, got); diff != "" {
			t.Errorf("chunks of %d (-want +got):\n%s", size, diff)
		}
	}
}

// TestFeedRefusals: every refusal is that of Unmarshal, comes with the byte that
// decides it, and stays.
func TestFeedRefusals(t *testing.T) {
	for _, tt := range refusals {
		codec := newCodec(tt.options)
		data := unhex(t, tt.message)
		want := codec.Unmarshal(data, new(item))
		decided := len(data)
		for decided > 0 && !errors.Is(codec.Unmarshal(data[:decided-1], new(item)), sofab.ErrIncomplete) && codec.Unmarshal(data[:decided-1], new(item)) != nil {
			decided--
		}
		for size := 1; size <= len(data); size++ {
			var v item
			f := newFeeder(t, codec, &v)
			var err error
			for at := 0; at < len(data); at += size {
				end := min(at+size, len(data))
				chunk := bytes.Clone(data[at:end])
				err = f.Feed(chunk)
				scrub(chunk)
				if end >= decided && fmt.Sprint(err) != fmt.Sprint(want) || end < decided && err != nil && !errors.Is(err, sofab.ErrIncomplete) {
					t.Errorf("%s, chunks of %d: after %d bytes, decided at %d: %v, want %v", tt.name, size, end, decided, err, want)
				}
			}
			if !tt.check(err) {
				t.Errorf("%s, chunks of %d: %v", tt.name, size, err)
			}
			if again := f.Feed([]byte{0x07}); again != err {
				t.Errorf("%s: then %v", tt.name, again)
			}
		}
	}
}

// TestFeederReset abandons a message at every byte; nothing of it may show up in the
// next one.
func TestFeederReset(t *testing.T) {
	data := mustMarshal(t, &itemValue)
	codec := newCodec(sofab.Options{Strict: true})
	other := item{Free: "other", Data: []byte{9}, List: []string{"x"}}
	for cut := range len(data) + 1 {
		for _, fault := range []bool{false, true} {
			var got item
			f := newFeeder(t, codec, &got)
			f.Feed(data[:cut])
			if fault {
				f.Feed([]byte{0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x7f})
			}
			f.Reset()
			if err := f.Feed(nil); err != nil || !cmp.Equal(got, item{}) {
				t.Fatalf("cut %d: after Reset: %+v, %v", cut, got, err)
			}
			if err := f.Feed(mustMarshal(t, &other)); err != nil || !cmp.Equal(got, other) {
				t.Fatalf("cut %d: %+v, %v", cut, got, err)
			}
			f.Reset()
			if err := feedTo(f, data, 3); err != nil || !cmp.Equal(got, itemValue) {
				t.Fatalf("cut %d: %+v, %v", cut, got, err)
			}
		}
	}
}

// TestFeederMessageLimit: the limit does not depend on where the chunks end.
func TestFeederMessageLimit(t *testing.T) {
	data := mustMarshal(t, &itemValue)
	for _, limit := range []int{1, 7, len(data) - 1, len(data), len(data) + 1} {
		codec := newCodec(sofab.Options{Limits: sofab.Limits{Message: int64(limit)}})
		want := codec.UnmarshalRead(bytes.NewReader(data), new(item))
		if (want == nil) != (limit >= len(data)) {
			t.Fatalf("limit %d: UnmarshalRead: %v", limit, want)
		}
		for size := 1; size <= len(data); size++ {
			f := newFeeder(t, codec, new(item))
			var err error
			for chunk := range slices.Chunk(data, size) {
				err = f.Feed(chunk)
			}
			if fmt.Sprint(err) != fmt.Sprint(want) || want != nil && !isLimit("Message")(err) {
				t.Errorf("limit %d, chunks of %d: %v, want %v", limit, size, err, want)
			}
			if err := f.Feed(make([]byte, 10)); want != nil && !isLimit("Message")(err) {
				t.Errorf("limit %d: then %v", limit, err)
			}
			f.Reset()
			if err := f.Feed(data[:1]); !errors.Is(err, sofab.ErrIncomplete) {
				t.Errorf("limit %d: after Reset: %v", limit, err)
			}
		}
	}
}

// TestFeederWaitsForRequiredField: a message that lacks one may not end yet.
func TestFeederWaitsForRequiredField(t *testing.T) {
	type ticket struct {
		No   *uint32 `sofab:"1,required"`
		Note string  `sofab:"2"`
	}
	var got ticket
	f, err := sofab.NewFeeder(&got)
	if err != nil {
		t.Fatal(err)
	}
	var missing *sofab.MissingFieldError
	for _, chunk := range []string{"", "12 0a 61", ""} {
		if err := f.Feed(unhex(t, chunk)); !errors.As(err, &missing) || !errors.Is(err, sofab.ErrIncomplete) {
			t.Errorf("feeding %q: %v", chunk, err)
		}
	}
	if err := f.Feed(unhex(t, "08 07")); err != nil || *got.No != 7 {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestNewFeederBadDestination(t *testing.T) {
	type faulty struct{ C chan int }
	var none *item
	for _, v := range []any{nil, item{}, none, new(faulty)} {
		if f, err := sofab.NewFeeder(v); err == nil || f != nil {
			t.Errorf("NewFeeder(%T): %v, %v", v, f, err)
		}
	}
}

// TestFeederTakesLongPayloadInPieces: the memory is that of the value, whatever the
// chunks are.
func TestFeederTakesLongPayloadInPieces(t *testing.T) {
	data := mustMarshal(t, &item{Free: strings.Repeat("long ", 400_000)})
	for _, size := range []int{64, 4096} {
		var got item
		f, err := sofab.NewFeeder(&got)
		if err != nil {
			t.Fatal(err)
		}
		allocated := allocatedBy(func() {
			for chunk := range slices.Chunk(data, size) {
				if err = f.Feed(chunk); err != nil && !errors.Is(err, sofab.ErrIncomplete) {
					break
				}
			}
		})
		if err != nil || len(got.Free) != 2_000_000 {
			t.Errorf("%d bytes, %v", len(got.Free), err)
		}
		// Each Feed makes an error, and the payload moves when its memory doubles.
		if most := uint64(3*len(data) + 200*(len(data)/size)); allocated > most {
			t.Errorf("chunks of %d: %d bytes allocated, want at most %d", size, allocated, most)
		}
	}
}

// TestFeederResetForgetsPath: the error of an unfinished message names the field of that
// message, not of the one before.
func TestFeederResetForgetsPath(t *testing.T) {
	f := newFeeder(t, newCodec(sofab.Options{}), new(item))
	for _, cut := range []string{"1a 3a 61", "12 1a 61", "08 80", "1a 3a 61"} {
		want := sofab.Unmarshal(unhex(t, cut), new(item))
		if err := f.Feed(unhex(t, cut)); fmt.Sprint(err) != fmt.Sprint(want) {
			t.Errorf("%s: %v, want %v", cut, err, want)
		}
		f.Reset()
	}
}
