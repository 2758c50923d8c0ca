package sofab_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/sofab-go/sofab"
)

// A jsonDifference shows one situation in which this package does something else than
// encoding/json on purpose: what comes out of both, as text.
type jsonDifference struct {
	name        string
	json, sofab func(t *testing.T) string
	wantJSON    string
	wantSofab   string
}

// outcome is the text of a value and an error: the error's kind where there is one.
func outcome(v any, err error) string {
	text := strings.ReplaceAll(materializeJSON(v), `"`, "")
	switch {
	case err == nil:
		return text
	case errors.As(err, new(*json.UnmarshalTypeError)), errors.As(err, new(*sofab.UnmarshalTypeError)):
		return "UnmarshalTypeError " + text
	case errors.As(err, new(*json.UnsupportedValueError)), errors.As(err, new(*sofab.UnsupportedValueError)):
		return "UnsupportedValueError"
	case errors.As(err, new(*sofab.TagError)):
		return "TagError"
	case errors.As(err, new(*sofab.BoundError)):
		return "BoundError"
	case errors.Is(err, sofab.ErrInvalid):
		return "ErrInvalid"
	}
	return err.Error()
}

func materializeJSON(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(b)
}

func sofabBytes(t *testing.T, v any) []byte {
	t.Helper()
	b, err := sofab.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

type (
	differText struct {
		S string `json:"s" sofab:"1"`
		N uint8  `json:"n" sofab:"2"`
	}
	differNumber struct {
		S int64 `json:"s" sofab:"1"`
		N int64 `json:"n" sofab:"2"`
	}
	differWide struct {
		N uint64 `json:"n" sofab:"2"`
		S string `json:"s" sofab:"3"`
	}
	differNarrow struct {
		N uint8  `json:"n" sofab:"2"`
		S string `json:"s" sofab:"3"`
	}
	differSlice struct {
		L []int64 `json:"l" sofab:"1"`
	}
	differArray struct {
		L [2]int64 `json:"l" sofab:"1"`
	}
	differOmit struct {
		S string `json:"s,omitempty" sofab:"1,omitempty"`
	}
	differUntagged struct {
		Note string
	}
	differFloat struct {
		F float64 `json:"f" sofab:"1"`
	}
	differAny struct {
		A any `json:"a" sofab:"1"`
	}
	differBase1 struct {
		X int64 `sofab:"1"`
	}
	differBase2 struct {
		X int64 `sofab:"1"`
	}
	differTwice struct {
		differBase1
		differBase2
	}
)

func TestJSONDifferences(t *testing.T) {
	for _, tt := range []jsonDifference{
		{
			"fields that are set before",
			func(t *testing.T) string {
				v := differText{S: "old", N: 1}
				return outcome(&v, json.Unmarshal([]byte(`{"n":2}`), &v))
			},
			func(t *testing.T) string {
				v := differText{S: "old", N: 1}
				return outcome(&v, sofab.Unmarshal(sofabBytes(t, differText{N: 2}), &v))
			},
			"{s:old,n:2}", "{s:,n:2}",
		},
		{
			"maps that are filled before",
			func(t *testing.T) string {
				v := map[string]int64{"old": 1}
				return outcome(&v, json.Unmarshal([]byte(`{"new":2}`), &v))
			},
			func(t *testing.T) string {
				v := map[string]int64{"old": 1}
				return outcome(&v, sofab.Unmarshal(sofabBytes(t, map[string]int64{"new": 2}), &v))
			},
			"{new:2,old:1}", "{new:2}",
		},
		{
			"omitempty in a tag",
			func(t *testing.T) string {
				b, err := json.Marshal(differOmit{})
				return outcome(json.RawMessage(b), err)
			},
			func(t *testing.T) string { _, err := sofab.Marshal(differOmit{}); return outcome(nil, err) },
			"{}", "TagError",
		},
		{
			"an exported field without a tag",
			func(t *testing.T) string {
				b, err := json.Marshal(differUntagged{"x"})
				return outcome(json.RawMessage(b), err)
			},
			func(t *testing.T) string { _, err := sofab.Marshal(differUntagged{"x"}); return outcome(nil, err) },
			"{Note:x}", "TagError",
		},
		{
			"a value of another type",
			func(t *testing.T) string {
				var v differText
				return outcome(&v, json.Unmarshal([]byte(`{"s":7,"n":2}`), &v))
			},
			func(t *testing.T) string {
				var v differText
				return outcome(&v, sofab.Unmarshal(sofabBytes(t, struct {
					S int64 `sofab:"1"`
					N uint8 `sofab:"2"`
				}{7, 2}), &v))
			},
			"UnmarshalTypeError {s:,n:2}", "{s:,n:2}",
		},
		{
			"a value of another type under Strict",
			func(t *testing.T) string {
				var v differNumber
				return outcome(&v, json.Unmarshal([]byte(`{"s":"x","n":0}`), &v))
			},
			func(t *testing.T) string {
				var v differNumber
				strict := newCodec(sofab.Options{Strict: true})
				return outcome(&v, strict.Unmarshal(sofabBytes(t, differText{S: "x"}), &v))
			},
			"UnmarshalTypeError {s:0,n:0}", "UnmarshalTypeError {s:0,n:0}",
		},
		{
			"a number that does not fit",
			func(t *testing.T) string {
				var v differNarrow
				return outcome(&v, json.Unmarshal([]byte(`{"n":256,"s":"read"}`), &v))
			},
			func(t *testing.T) string {
				var v differNarrow
				return outcome(&v, sofab.Unmarshal(sofabBytes(t, differWide{256, "not read"}), &v)) + " " + v.S
			},
			"UnmarshalTypeError {n:0,s:read}", "BoundError ",
		},
		{
			"more elements than an array has",
			func(t *testing.T) string {
				var v differArray
				return outcome(&v, json.Unmarshal([]byte(`{"l":[1,2,3]}`), &v))
			},
			func(t *testing.T) string {
				var v differArray
				return outcome(&v, sofab.Unmarshal(sofabBytes(t, differSlice{[]int64{1, 2, 3}}), &v))
			},
			"{l:[1,2]}", "BoundError",
		},
		{
			"invalid UTF-8 to be written",
			func(t *testing.T) string {
				b, err := json.Marshal(differText{S: "a\xff"})
				return outcome(json.RawMessage(b), err)
			},
			func(t *testing.T) string { _, err := sofab.Marshal(differText{S: "a\xff"}); return err.Error() },
			"{s:a\\ufffd,n:0}", "sofab: differText.S: invalid UTF-8 at byte 1",
		},
		{
			"invalid UTF-8 that is read",
			func(t *testing.T) string {
				var v differText
				return outcome(&v, json.Unmarshal([]byte("{\"s\":\"a\xff\"}"), &v))
			},
			func(t *testing.T) string {
				var v differText
				return outcome(&v, sofab.Unmarshal([]byte{0x0a, 0x12, 'a', 0xff}, &v))
			},
			"{s:a\ufffd,n:0}", "ErrInvalid",
		},
		{
			"bytes behind a value in a reader",
			func(t *testing.T) string {
				var v differText
				return outcome(&v, json.NewDecoder(strings.NewReader(`{"n":1} and more`)).Decode(&v))
			},
			func(t *testing.T) string {
				var v differText
				// Two messages without framing are one; what cannot be one is refused.
				r := bytes.NewReader(append(sofabBytes(t, differText{N: 1}), 0x07))
				return outcome(&v, sofab.UnmarshalRead(r, &v))
			},
			"{s:,n:1}", "ErrInvalid",
		},
		{
			"Unmarshal of what an Encoder wrote",
			func(t *testing.T) string {
				var b bytes.Buffer
				if err := json.NewEncoder(&b).Encode(differText{N: 1}); err != nil {
					t.Fatal(err)
				}
				var v differText
				return outcome(&v, json.Unmarshal(b.Bytes(), &v))
			},
			func(t *testing.T) string {
				var v differText
				return outcome(&v, sofab.Unmarshal(terminated(t, differText{N: 1}), &v))
			},
			"{s:,n:1}", "ErrInvalid",
		},
		{
			"NaN",
			func(t *testing.T) string { _, err := json.Marshal(differFloat{math.NaN()}); return outcome(nil, err) },
			func(t *testing.T) string {
				var v differFloat
				if err := sofab.Unmarshal(sofabBytes(t, differFloat{math.NaN()}), &v); err != nil {
					t.Fatal(err)
				}
				return map[bool]string{true: "NaN", false: "a number"}[math.IsNaN(v.F)]
			},
			"UnsupportedValueError", "NaN",
		},
		{
			"a large integer in an interface",
			func(t *testing.T) string {
				var v differAny
				if err := json.Unmarshal([]byte(`{"a":9007199254740993}`), &v); err != nil {
					t.Fatal(err)
				}
				return cmp.Diff(v.A, any(float64(9007199254740992)))
			},
			func(t *testing.T) string {
				var v differAny
				if err := sofab.Unmarshal(sofabBytes(t, differAny{uint64(9007199254740993)}), &v); err != nil {
					t.Fatal(err)
				}
				return cmp.Diff(v.A, any(uint64(9007199254740993)))
			},
			"", "",
		},
		{
			"an empty slice",
			func(t *testing.T) string {
				var v differSlice
				return outcome(&v, json.Unmarshal([]byte(`{"l":[]}`), &v))
			},
			func(t *testing.T) string {
				var v differSlice
				return outcome(&v, sofab.Unmarshal(sofabBytes(t, differSlice{[]int64{}}), &v))
			},
			"{l:[]}", "{l:null}",
		},
		{
			"one name in two embedded structs",
			func(t *testing.T) string {
				b, err := json.Marshal(differTwice{differBase1{1}, differBase2{2}})
				return outcome(json.RawMessage(b), err)
			},
			func(t *testing.T) string { _, err := sofab.Marshal(differTwice{}); return outcome(nil, err) },
			"{}", "TagError",
		},
		{
			"no input at all",
			func(t *testing.T) string {
				v := differText{N: 1}
				return outcome(&v, json.Unmarshal(nil, &v))
			},
			func(t *testing.T) string {
				v := differText{N: 1}
				return outcome(&v, sofab.Unmarshal(nil, &v))
			},
			"unexpected end of JSON input", "{s:,n:0}",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.wantJSON, tt.json(t)); diff != "" {
				t.Errorf("encoding/json (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.wantSofab, tt.sofab(t)); diff != "" {
				t.Errorf("sofab (-want +got):\n%s", diff)
			}
		})
	}
}

// TestJSONSame: what a user of encoding/json relies on without thinking of it.
func TestJSONSame(t *testing.T) {
	type inner struct {
		N int64 `json:"n" sofab:"1"`
	}
	type outer struct {
		inner
		M map[string]*inner `json:"m" sofab:"2"`
		P **int64           `json:"p" sofab:"3"`
		I any               `json:"i" sofab:"4"`
		E []inner           `json:"e" sofab:"5"`
		X string            `json:"-" sofab:"-"`
		y string
	}
	n := int64(7)
	p := &n
	v := outer{
		inner: inner{1}, M: map[string]*inner{"b": {2}, "a": {}}, P: &p, I: "text", E: []inner{{3}, {}, {4}},
		X: "left alone", y: "as well",
	}
	var viaJSON, viaSofab outer
	viaJSON.X, viaSofab.X = "kept", "kept"
	if err := json.Unmarshal([]byte(materializeJSON(&v)), &viaJSON); err != nil {
		t.Fatal(err)
	}
	if err := sofab.Unmarshal(sofabBytes(t, &v), &viaSofab); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(viaJSON, viaSofab, cmp.AllowUnexported(outer{})); diff != "" {
		t.Errorf("through json and through sofab (-json +sofab):\n%s", diff)
	}

	// A decoder ends a loop in the same way.
	for _, dec := range []interface {
		Decode(any) error
		More() bool
	}{json.NewDecoder(strings.NewReader(`{"n":1} {"n":2}`)), sofab.NewDecoder(bytes.NewReader(terminated(t, inner{1}, inner{2})))} {
		var got []int64
		for dec.More() {
			var v inner
			if err := dec.Decode(&v); err != nil {
				t.Fatal(err)
			}
			got = append(got, v.N)
		}
		if err := dec.Decode(new(inner)); err != io.EOF {
			t.Errorf("%T: %v at the end, want io.EOF itself", dec, err)
		}
		if diff := cmp.Diff([]int64{1, 2}, got); diff != "" {
			t.Errorf("%T: %s", dec, diff)
		}
	}

	// Destinations that are none.
	for _, v := range []any{nil, inner{}, (*inner)(nil)} {
		var theirs *json.InvalidUnmarshalError
		var ours *sofab.InvalidUnmarshalError
		if !errors.As(json.Unmarshal([]byte("{}"), v), &theirs) || !errors.As(sofab.Unmarshal(nil, v), &ours) {
			t.Errorf("%T: no InvalidUnmarshalError from both", v)
		} else if theirs.Type != ours.Type {
			t.Errorf("%T: type %v from json, %v from sofab", v, theirs.Type, ours.Type)
		}
	}
}
