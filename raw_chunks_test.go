package sofab_test

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/sofab-go/sofab"
)

// rawMix has every kind of value that is read as it is, some within others.
type rawMix struct {
	_ struct{}           `sofab:",maxsize=60"`
	M sofab.RawMessage   `sofab:"0"`
	F sofab.RawField     `sofab:"1,maxlen=6"`
	T sofab.Fields       `sofab:"2"`
	C celsius            `sofab:"3"`
	V level              `sofab:"4"`
	S *rawMixInner       `sofab:"5"`
	L []rawMixInner      `sofab:"6"`
	R []sofab.RawMessage `sofab:"7"`
}

type rawMixInner struct {
	_ struct{}            `sofab:",maxsize=12"`
	N uint8               `sofab:"0,required,presence"`
	M sofab.RawMessage    `sofab:"1,maxlen=4"`
	U sofab.UnknownFields `sofab:",unknown"`
}

// What a message decodes to, and what is wrong with it, does not depend on how it was
// cut, for valid messages and for damaged ones.
func TestRawValuesInChunks(t *testing.T) {
	n, r := 4000, rand.New(rand.NewPCG(1, 2))
	if testing.Short() {
		n = 400
	}
	codec := newCodec(sofab.Options{Limits: sofab.Limits{Blob: 9, String: 7}})
	verdicts := map[string]int{}
	for range n {
		input := randomMessage(r, nil, 0)
		if r.IntN(2) == 0 && len(input) > 0 {
			input[r.IntN(len(input))] = byte(r.IntN(256))
		}
		if r.IntN(4) == 0 {
			input = input[:r.IntN(len(input)+1)]
		}
		var want rawMix
		failure := codec.Unmarshal(input, &want)
		wantText := textOf(failure)
		switch {
		case failure == nil:
			verdicts["complete"]++
			if again, err := codec.Marshal(&want); err == nil {
				var back rawMix
				if err := codec.Unmarshal(again, &back); err != nil && !errors.As(err, new(*sofab.BoundError)) {
					t.Errorf("%x decoded and became %x: %v", input, again, err)
				}
			}
		case errors.Is(failure, sofab.ErrIncomplete):
			verdicts["incomplete"]++
		case errors.Is(failure, sofab.ErrLimit):
			verdicts["limit"]++
		default:
			verdicts["invalid"]++
		}
		for _, size := range []int{1, 2, 3, 5, 11, 1000} {
			var got rawMix
			f, err := codec.NewFeeder(&got)
			if err != nil {
				t.Fatal(err)
			}
			err = f.Feed(nil)
			for rest := input; len(rest) > 0 && (err == nil || errors.Is(err, sofab.ErrIncomplete)); {
				chunk := bytes.Clone(rest[:min(size, len(rest))])
				rest = rest[len(chunk):]
				err = f.Feed(chunk)
				scrub(chunk)
			}
			gotText := textOf(err)
			if gotText != wantText {
				t.Errorf("%x in chunks of %d: %s\nas a whole: %s", input, size, gotText, wantText)
			} else if diff := cmp.Diff(want, got, exported); err == nil && diff != "" {
				t.Errorf("%x in chunks of %d (-want +got):\n%s", input, size, diff)
			}
		}
		var m, fed sofab.RawMessage
		var tree sofab.Fields
		whole := sofab.Unmarshal(input, &m)
		if got := feed(input, 3, &fed); textOf(got) != textOf(whole) || whole == nil && !bytes.Equal(m, fed) {
			t.Errorf("%x as RawMessage: %v, in chunks %v", input, whole, got)
		}
		if whole == nil && (!bytes.Equal(m, input) || !sofab.Valid(input)) {
			t.Errorf("%x as RawMessage: %x", input, m)
		}
		if err := sofab.Unmarshal(input, &tree); whole == nil && err != nil && !strings.Contains(err.Error(), "UTF-8") {
			t.Errorf("%x as Fields: %v", input, err)
		}
	}
	for _, v := range []string{"complete", "incomplete", "limit", "invalid"} {
		if verdicts[v] < n/100 {
			t.Errorf("only %d of %d messages are %s", verdicts[v], n, v)
		}
	}
}

// randomMessage appends fields of small ids and all wire types.
func randomMessage(r *rand.Rand, b []byte, depth int) []byte {
	for range r.IntN(4) {
		id, typ := r.IntN(9), r.IntN(7)
		if r.IntN(3) > 0 {
			typ = 6
		}
		if typ == 6 && depth > 4 {
			typ = 0
		}
		b = append(b, byte(id<<3|typ))
		switch typ {
		case 0, 1:
			b = append(b, byte(r.IntN(128)))
		case 2:
			length := r.IntN(9)
			b = append(b, byte(length<<3|2+r.IntN(2)))
			for range length {
				b = append(b, byte(r.IntN(128)))
			}
		case 3, 4:
			count := r.IntN(4)
			b = append(b, byte(count))
			for range count {
				b = append(b, byte(r.IntN(128)))
			}
		case 5:
			b = append(b, 1, 0x20, 0, 0, 0x80, 0x3f)
		case 6:
			b = append(randomMessage(r, b, depth+1), 7)
		}
	}
	return b
}
