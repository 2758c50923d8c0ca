package sofab_test

import (
	"errors"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/sofab-go/sofab"
)

// What users of other libraries of this kind have lost, as far as no test of a feature
// shows it.

type reported struct {
	Scalar uint64              `sofab:"1"`
	Text   string              `sofab:"2"`
	List   []string            `sofab:"3"`
	Map    map[string]int      `sofab:"4"`
	Ptr    *reported           `sofab:"5"`
	Any    any                 `sofab:"6"`
	Rows   []reportedRow       `sofab:"7"`
	Groups map[string][]*int64 `sofab:"8,val.presence"`
	At     time.Time           `sofab:"9"`
	Limit  uint8               `sofab:"10,default=5"`
}

type reportedRow struct {
	N int64             `sofab:"1"`
	S string            `sofab:"2"`
	M map[string]string `sofab:"3"`
}

func fullReport() reported {
	return reported{
		Scalar: 1, Text: "text", List: []string{"a", "", "c"}, Map: map[string]int{"a": 1, "b": 2}, Ptr: &reported{Limit: 5, Text: "inner"},
		Any: map[string]any{"x": int64(1)}, Rows: []reportedRow{{1, "one", map[string]string{"k": "v"}}, {2, "two", nil}},
		Groups: map[string][]*int64{"g": {ptr(int64(7))}}, At: time.Unix(5, 0).UTC(), Limit: 9,
	}
}

// TestReusedDestinations: nothing of an earlier message stays in a variable, an element
// or a map that is used again, because what is at its default is not in a message.
func TestReusedDestinations(t *testing.T) {
	full, err := sofab.Marshal(fullReport())
	if err != nil {
		t.Fatal(err)
	}
	defaults := reported{Limit: 5}
	decode := func(t *testing.T, data []byte, v *reported, want reported) {
		t.Helper()
		if err := sofab.Unmarshal(data, v); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, *v); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
	t.Run("variable", func(t *testing.T) {
		var v reported
		for range 3 {
			decode(t, full, &v, fullReport())
			decode(t, nil, &v, defaults)
		}
	})
	t.Run("pool", func(t *testing.T) {
		pool := sync.Pool{New: func() any { return new(reported) }}
		for range 10 {
			v := pool.Get().(*reported)
			decode(t, full, v, fullReport())
			pool.Put(v)
			v = pool.Get().(*reported)
			decode(t, nil, v, defaults)
			pool.Put(v)
		}
	})
	t.Run("elements of a slice that keeps its memory", func(t *testing.T) {
		codec := newCodec(sofab.Options{Reuse: true})
		var v reported
		for range 2 {
			if err := codec.Unmarshal(full, &v); err != nil {
				t.Fatal(err)
			}
			// Two rows again, and both without what the ones before have.
			if err := codec.Unmarshal(unhex(t, "3e 0e 07 07"), &v); err != nil {
				t.Fatal(err)
			}
			// Memory that is kept is that of an empty slice.
			if diff := cmp.Diff(reported{Limit: 5, Rows: []reportedRow{{}, {}}}, v, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		}
	})
	t.Run("what the caller kept of an earlier message", func(t *testing.T) {
		var v reported
		decode(t, full, &v, fullReport())
		kept := v // shares its slices and maps
		decode(t, unhex(t, "1e 02 0a 7a 07 26 06 02 0a 7a 07 07"), &v, reported{Limit: 5, List: []string{"z"}, Map: map[string]int{"z": 0}})
		if diff := cmp.Diff(fullReport(), kept); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

// TestElementsByID: elements stand where their ids say, in whatever order they arrive and
// however often.
func TestElementsByID(t *testing.T) {
	for _, tt := range []struct {
		name, input string
		want        reported
	}{
		{"with a gap", "1e 020a41 120a43 07", reported{List: []string{"A", "", "C"}}},
		{"from behind", "1e 120a43 020a41 07", reported{List: []string{"A", "", "C"}}},
		{"twice", "1e 020a41 020a43 07", reported{List: []string{"C"}}},
		{"in a second opening", "1e 020a41 07 1e 0a0a43 07", reported{List: []string{"", "C"}}},
		{"of structs, in parts", "3e 0e 090207 06 120a6107 0e 120a6207 07", reported{Rows: []reportedRow{{S: "a"}, {N: 1, S: "b"}}}},
		{"of a map, in parts", "26 06 020a61 07 06 0902 07 07", reported{Map: map[string]int{"a": 1}}},
		{"of a map, with a gap", "26 0e 020a61 07 07", reported{Map: map[string]int{"": 0, "a": 0}}},
		{"of a map in a second opening", "26 06 020a61 07 07 26 06 020a62 07 07", reported{Map: map[string]int{"b": 0}}},
		{"of a struct that is opened again", "2e 120a61 07 2e 0801 07", reported{Ptr: &reported{Scalar: 1, Text: "a", Limit: 5}}},
		{"of another type in between", "1e 020a41 0805 120a43 07", reported{List: []string{"A", "", "C"}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.want.Limit = 5
			checkDecodesAs(t, unhex(t, tt.input), &tt.want)
		})
	}
}

// Structs that are embedded side by side, several levels deep, so that paths to fields
// have a common start.
type (
	PathLeafA struct {
		A int64 `sofab:"1"`
		B int64 `sofab:"2"`
	}
	PathLeafB struct {
		C int64 `sofab:"3"`
		D int64 `sofab:"4"`
	}
	PathLeafC struct {
		E int64 `sofab:"5"`
	}
	PathInner struct {
		*PathLeafA
		*PathLeafB
		*PathLeafC
		F int64 `sofab:"6"`
	}
	PathMiddle struct {
		*PathInner
		*PathSide
	}
	PathSide struct {
		G int64 `sofab:"7"`
		H int64 `sofab:"8"`
	}
	pathOuter struct {
		*PathMiddle
		I int64 `sofab:"9"`
	}
)

// TestPathsOfEmbeddedSiblings: each field of structs that are embedded beside each other
// is found on its own, and only what leads to it is allocated.
func TestPathsOfEmbeddedSiblings(t *testing.T) {
	inner := func(v PathInner) *pathOuter { return &pathOuter{PathMiddle: &PathMiddle{PathInner: &v}} }
	side := func(v PathSide) *pathOuter { return &pathOuter{PathMiddle: &PathMiddle{PathSide: &v}} }
	for input, want := range map[string]*pathOuter{
		"0902": inner(PathInner{PathLeafA: &PathLeafA{A: 1}}),
		"1102": inner(PathInner{PathLeafA: &PathLeafA{B: 1}}),
		"1902": inner(PathInner{PathLeafB: &PathLeafB{C: 1}}),
		"2102": inner(PathInner{PathLeafB: &PathLeafB{D: 1}}),
		"2902": inner(PathInner{PathLeafC: &PathLeafC{E: 1}}),
		"3102": inner(PathInner{F: 1}),
		"3902": side(PathSide{G: 1}),
		"4102": side(PathSide{H: 1}),
		"4902": {I: 1},
		"":     {},
	} {
		checkBothWays(t, want, input, want)
	}
}

// TestDeepErrorPath: an error in a list in a map behind a pointer in an embedded struct
// names every step, in both directions.
func TestDeepErrorPath(t *testing.T) {
	type Leaf struct {
		Notes []string `sofab:"1,elem.maxlen=8"`
	}
	type Middle struct {
		Groups map[string][]Leaf `sofab:"1"`
	}
	type Base struct {
		Ref *Middle `sofab:"2"`
	}
	type order struct {
		Base
		N uint8 `sofab:"1"`
	}
	for _, tt := range []struct{ name, note, want string }{
		{"UTF-8", "abc\xff", "sofab: order.Ref.Groups[\"k\"][1].Notes[2]: invalid UTF-8 at byte 3"},
		{"bound", "123456789", "sofab: order.Ref.Groups[\"k\"][1].Notes[2]: 9 bytes are more than maxlen=8 allows"},
	} {
		err := checkEncodeFails(t, &order{Base: Base{&Middle{map[string][]Leaf{"k": {{}, {Notes: []string{"", "", tt.note}}}}}}})
		if err == nil || err.Error() != tt.want {
			t.Errorf("%s: %v\nwant %s", tt.name, err, tt.want)
		}
	}
	checkRefused(t, "16 0e 06 020a6b 0e 0e 0e 12 22 616263ff", new(order),
		"sofab: order.Ref.Groups[0][1].Notes[2]: invalid UTF-8 at byte 3 at offset 14")
	checkRefused(t, "16 0e 06 020a6b 0e 0e 0e 12 4a", new(order),
		"sofab: order.Ref.Groups[0][1].Notes[2]: 9 bytes are more than maxlen=8 allows at offset 10")
}

// neverEmpty is at its default by its method, although it marshals to a text.
type neverEmpty struct{ n int }

func (v neverEmpty) IsZero() bool                     { return v.n < 10 }
func (v neverEmpty) MarshalText() ([]byte, error)     { return []byte(strings.Repeat("x", v.n)), nil }
func (v *neverEmpty) UnmarshalText(text []byte) error { v.n = len(text); return nil }

// noIsZero is at its default where it marshals to nothing.
type noIsZero struct{ n int }

func (v noIsZero) MarshalBinary() ([]byte, error)   { return make([]byte, max(0, v.n-10)), nil }
func (v *noIsZero) UnmarshalBinary(b []byte) error  { v.n = len(b) + 10; return nil }
func (v noIsZero) MarshalJSON() ([]byte, error)     { return nil, errors.New("not called") }
func (v *noIsZero) UnmarshalJSON(data []byte) error { return errors.New("not called") }

// TestDefaultsOfMethodTypes: the method IsZero decides, and where there is none, whether
// the value marshals to anything.
func TestDefaultsOfMethodTypes(t *testing.T) {
	type holder struct {
		A neverEmpty `sofab:"1"`
		B noIsZero   `sofab:"2"`
		C time.Time  `sofab:"3"`
	}
	for input, v := range map[string]*holder{
		"":                                 {neverEmpty{9}, noIsZero{10}, time.Time{}.In(time.FixedZone("LMT", 1172))},
		"0a52 78787878787878787878":        {A: neverEmpty{10}},
		"12 0b 00":                         {B: noIsZero{11}},
		"1e 01 ff db8f f9 ce03 08 01 07":   {C: time.Time{}.Add(1)},
		"12 13 0000 1e 01 00 07":           {B: noIsZero{12}, C: time.Unix(0, 0).UTC()},
		"0a52 78787878787878787878 120b00": {A: neverEmpty{10}, B: noIsZero{11}},
	} {
		checkEncode(t, input, v, unhex(t, input))
		want := *v
		if input == "" {
			want = holder{}
		}
		checkDecodesAs(t, unhex(t, input), &want, sameTime, cmp.AllowUnexported(neverEmpty{}, noIsZero{}))
	}
}

const mapWriterEnv = "SOFAB_TEST_MAP_WRITER"

// TestMapWrittenMeanwhile: a map that another goroutine writes while it is marshalled
// ends the process with Go's own words, and not with damaged memory. It happens in a
// process of its own.
func TestMapWrittenMeanwhile(t *testing.T) {
	if os.Getenv(mapWriterEnv) != "" {
		m := map[string]int{}
		for i := range 100 {
			m[string(rune('a'+i))] = i
		}
		go func() {
			for i := 0; ; i++ {
				m[string(rune('a'+i%200))] = i
				delete(m, string(rune('a'+i%150)))
			}
		}()
		for end := time.Now().Add(2 * time.Second); time.Now().Before(end); {
			if _, err := sofab.Marshal(m); err != nil {
				t.Log(err)
			}
		}
		return
	}
	if raceEnabled {
		t.Skip("the race detector finds it before")
	}
	if testing.Short() {
		t.Skip("starts a process")
	}
	command := exec.Command(os.Args[0], "-test.run=^TestMapWrittenMeanwhile$", "-test.v")
	command.Env = append(os.Environ(), mapWriterEnv+"=1")
	output, err := command.CombinedOutput()
	switch {
	case err == nil:
		t.Log("the goroutines did not meet")
	case !strings.Contains(string(output), "fatal error: concurrent map"):
		t.Errorf("%v:\n%.2000s", err, output)
	}
}

// BenchmarkReset is what it costs to reset a destination that is in use.
func BenchmarkReset(b *testing.B) {
	full, err := sofab.Marshal(fullReport())
	if err != nil {
		b.Fatal(err)
	}
	for _, bench := range []struct {
		name string
		data []byte
	}{{"empty message", nil}, {"full message", full}} {
		b.Run(bench.name, func(b *testing.B) {
			b.ReportAllocs()
			v := fullReport()
			for b.Loop() {
				if err := sofab.Unmarshal(bench.data, &v); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
