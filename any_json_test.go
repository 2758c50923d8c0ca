package sofab_test

import (
	"bytes"
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/sofab-go/sofab"
)

// Documents as encoding/json reads them come back equal: through a field, through an
// any at the top, and marshalled as what is in the any.
func TestAnyJSON(t *testing.T) {
	sample, err := os.ReadFile("testdata/orders.json")
	if err != nil {
		t.Fatal(err)
	}
	documents := []string{
		string(sample), `{}`, `[]`, `null`, `{"a":null,"b":[null,null],"":{"":""},"n":-1.5e300,"t":true,"f":false,"z":0,"e":"","l":[[],{}]}`,
		`[1,"x",null,{"k":[{"deep":[[[[]]]]}]},"\u0000\ud83d\ude00"]`,
	}
	r := rand.New(rand.NewPCG(3, 4))
	for range 50 {
		document, err := json.Marshal(randomJSON(r, 4))
		if err != nil {
			t.Fatal(err)
		}
		documents = append(documents, string(document))
	}
	for _, document := range documents {
		var v any
		if err := json.Unmarshal([]byte(document), &v); err != nil {
			t.Fatal(err)
		}
		b, err := sofab.Marshal(&v)
		if err != nil {
			t.Fatalf("%s: %v", document, err)
		}
		var got any
		if err := sofab.Unmarshal(b, &got); err != nil || !reflect.DeepEqual(v, got) {
			t.Errorf("%.200s: came back as %v, %v", document, got, err)
		}
		field, err := sofab.Marshal(anyField{v})
		if err != nil {
			t.Fatalf("%s: %v", document, err)
		}
		checkDecodesAs(t, field, &anyField{v})
		switch v.(type) {
		case []any, map[string]any:
			direct, err := sofab.Marshal(v)
			if err != nil || !bytes.Equal(direct, b) {
				t.Errorf("%.200s: %x, %v, want %x", document, direct, err, b)
			}
		}
	}
}

// randomJSON is a value as json.Unmarshal gives it.
func randomJSON(r *rand.Rand, depth int) any {
	kinds := 6
	if depth == 0 {
		kinds = 4
	}
	switch r.IntN(kinds) {
	case 0:
		return nil
	case 1:
		return r.IntN(2) == 0
	case 2:
		return math.Trunc(r.NormFloat64()*10) / 4
	case 3:
		return strings.Repeat("é", r.IntN(3))
	case 4:
		list := make([]any, r.IntN(4))
		for i := range list {
			list[i] = randomJSON(r, depth-1)
		}
		return list
	}
	dict := map[string]any{}
	for range r.IntN(4) {
		dict[strings.Repeat("k", r.IntN(4))] = randomJSON(r, depth-1)
	}
	return dict
}

func BenchmarkAny(b *testing.B) {
	text, err := os.ReadFile("testdata/orders.json")
	if err != nil {
		b.Fatal(err)
	}
	var v any
	if err := json.Unmarshal(text, &v); err != nil {
		b.Fatal(err)
	}
	data, err := sofab.Marshal(&v)
	if err != nil {
		b.Fatal(err)
	}
	b.Run("marshal", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if data, err = sofab.MarshalAppend(data[:0], &v); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("unmarshal", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			var got any
			if err := sofab.Unmarshal(data, &got); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("json/marshal", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := json.Marshal(v); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("json/unmarshal", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			var got any
			if err := json.Unmarshal(text, &got); err != nil {
				b.Fatal(err)
			}
		}
	})
}
