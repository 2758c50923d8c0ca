package sofab_test

import (
	"database/sql"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/sofab-go/sofab"
)

type requiredInner struct {
	N uint8  `sofab:"0,required,presence"`
	P *uint8 `sofab:"1,required"`
}

type requiredOuter struct {
	I *requiredInner            `sofab:"0"`
	L []requiredInner           `sofab:"1"`
	M map[string]*requiredInner `sofab:"2"`
	X []struct {
		L []requiredInner `sofab:"0"`
		I *requiredInner  `sofab:"1"`
	} `sofab:"3"`
}

// What has arrived need not arrive again when a struct is opened again; the elements of
// a wrapper that is opened again are new.
func TestRequiredInReopenedStruct(t *testing.T) {
	const whole = "00 05 08 06"
	for _, c := range []struct{ name, input, missing string }{
		{"at once", "06" + whole + "07", ""},
		{"opened again", "06" + whole + "07 06 07 06 07", ""},
		{"first without", "06 08 06 07 06 00 05 07", "requiredOuter.I.N"},
		{"first without the pointer", "06 00 05 07 06 08 06 07", "requiredOuter.I.P"},
		{"element opened again", "0e 06" + whole + "07 06 07 07", ""},
		{"another element", "0e 06" + whole + "07 0e 08 06 07 07", "requiredOuter.L[1].N"},
		{"wrapper opened again", "0e 06" + whole + "07 07 0e 06 08 06 07 07", "requiredOuter.L[0].N"},
		{"map entry opened again", "16 06 02 0a 41 0e" + whole + "07 0e 07 07 07", ""},
		{"another map entry", "16 06 02 0a 41 0e" + whole + "07 07 0e 02 0a 42 0e 08 06 07 07 07", "requiredOuter.M[1].N"},
		{"deep, opened again", "1e 06 06 06" + whole + "07 07 0e" + whole + "07 07 06 0e 07 07 07", ""},
		{"deep, wrapper opened again", "1e 06 06 06" + whole + "07 07 07 06 06 06 08 06 07 07 07 07", "requiredOuter.X[0].L[0].N"},
		{"same place below another", "1e 06 0e" + whole + "07 07 0e 0e 08 06 07 07 07", "requiredOuter.X[1].I.N"},
		{"inner wrapper and outer", "1e 06 06 06" + whole + "07 07 0e 08 06 07 07 07", "requiredOuter.X[0].I.N"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, s := range decodeSurfaces {
				// A first message must leave nothing behind for the next.
				var v requiredOuter
				if err := s.decode(unhex(t, "06"+whole+"07 0e 06"+whole+"07 07"), &v); err != nil {
					t.Errorf("%s: %v", s.name, err)
				}
				err := s.decode(unhex(t, c.input), &v)
				if c.missing == "" && err != nil || !strings.Contains(textOf(err), c.missing) {
					t.Errorf("%s: %v, want %s", s.name, err, c.missing)
				}
			}
		})
	}
}

// A Feeder whose message lacks a required field so far asks for more.
// The required fields of a struct that is part of the value are required of the value,
// in both directions alike: at its default that struct is not on the wire.
func TestRequiredInside(t *testing.T) {
	type middle struct {
		A uint8         `sofab:"0"`
		I requiredInner `sofab:"1"`
	}
	type outer struct {
		M middle   `sofab:"0"`
		L []middle `sofab:"1"`
		P *middle  `sofab:"2"`
	}
	const inner, whole = "0e 00 05 08 06 07", "06 0e 00 05 08 06 07 07"
	for _, c := range []struct{ name, input, missing string }{
		{"nothing", "", "outer.M.I.N"},
		{"an empty struct", "06 07", "outer.M.I.N"},
		{"another field of it", "06 00 01 07", "outer.M.I.N"},
		{"all", whole, ""},
		{"opened again without", whole + "06 00 01 07", ""},
		{"half and half", "06 0e 00 05 07 07 06 0e 08 06 07 07", "outer.M.I.P"},
		{"in an element", whole + "0e 06 00 01 07 07", "outer.L[0].I.N"},
		{"in an element, all", whole + "0e 06" + inner + "07 07", ""},
		{"behind a pointer", whole + "16 00 01 07", "outer.P.I.N"},
		{"behind a pointer, all", whole + "16 00 01" + inner + "07", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			checkMissing[outer](t, c.input, c.missing)
		})
	}
	var v outer
	if _, err := sofab.Marshal(&v); !strings.Contains(textOf(err), "outer.M.I.P") {
		t.Errorf("Marshal: %v, want outer.M.I.P", err)
	}
}

// An element that did not arrive is a struct at its default, which lacks what is required.
func TestRequiredInGaps(t *testing.T) {
	type plain struct {
		P *uint8 `sofab:"0,required"`
	}
	type lists struct {
		L []plain         `sofab:"0"`
		B []requiredInner `sofab:"1"`
		A [2]plain        `sofab:"2"`
		M map[uint8]plain `sofab:"3"`
		D []struct {
			I plain `sofab:"0"`
		} `sofab:"4"`
		P []*plain `sofab:"5"`
	}
	for _, c := range []struct{ name, input, missing string }{
		{"no gap", "06 06 00 05 07 0e 00 06 07 07", ""},
		{"a gap", "06 06 00 05 07 16 00 06 07 07", "lists.L[1].P"},
		{"a leading gap", "06 0e 00 06 07 07", "lists.L[0].P"},
		{"filled later", "06 0e 00 06 07 06 00 05 07 07", ""},
		{"blind, no gap", "0e 06 00 05 08 06 07 0e 00 05 08 06 07 07", ""},
		{"blind, a gap", "0e 06 00 05 08 06 07 16 00 05 08 06 07 07", "lists.B[1].N"},
		{"blind, filled later", "0e 0e 00 05 08 06 07 06 00 05 08 06 07 07", ""},
		{"array, short", "16 06 00 05 07 07", "lists.A[1].P"},
		{"array, whole", "16 06 00 05 07 0e 00 06 07 07", ""},
		{"map, a gap", "1e 0e 00 01 0e 00 05 07 07 07", "lists.M[0].P"},
		{"map, no gap", "1e 06 0e 00 05 07 07 0e 00 01 0e 00 05 07 07 07", ""},
		{"deeper, a gap", "26 0e 06 00 05 07 07 07", "lists.D[0].I.P"},
		{"deeper, no gap", "26 06 06 00 05 07 07 07", ""},
		{"pointers have gaps", "2e 0e 00 05 07 07", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			input := c.input
			if !strings.HasPrefix(c.name, "array") {
				input += " 16 06 00 05 07 0e 00 06 07 07" // A, which is part of the value
			}
			checkMissing[lists](t, input, c.missing)
		})
	}
}

// checkMissing decodes a message through every surface and expects that all required
// fields arrive, or the path of the first that does not.
func checkMissing[T any](t *testing.T, input, missing string) {
	t.Helper()
	for _, s := range decodeSurfaces {
		var v T
		err := s.decode(unhex(t, input), &v)
		if missing == "" && err != nil || missing != "" && !strings.Contains(textOf(err), missing+": required field") {
			t.Errorf("%s: %v, want %q", s.name, err, missing)
		}
	}
}

func TestRequiredFeeder(t *testing.T) {
	var v requiredInner
	f, err := sofab.NewFeeder(&v)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"I", "I", "I", "A", "I", "A"} {
		err := f.Feed(unhex(t, "00 05 08 06 00 07")[i : i+1])
		if got := verdict(t, err); got != want {
			t.Errorf("byte %d: %v, want %s", i, err, want)
		}
	}
}

func TestRequiredOptionalForms(t *testing.T) {
	type optional struct {
		S sql.NullString     `sofab:"0,required"`
		N sql.Null[uint8]    `sofab:"1,required"`
		T *time.Time         `sofab:"2,required"`
		B []byte             `sofab:"3,required,presence"`
		R sofab.RawMessage   `sofab:"4,required,presence"`
		F sofab.Fields       `sofab:"5,required,presence"`
		P *sofab.RawMessage  `sofab:"6,required"`
		M map[string]uint8   `sofab:"7,required,presence"`
		C *celsius           `sofab:"8,required"`
		K **sofab.RawMessage `sofab:"9,required"`
	}
	full := func() optional {
		return optional{
			S: sql.NullString{Valid: true}, N: sql.Null[uint8]{Valid: true}, T: new(time.Time), B: []byte{},
			R: sofab.RawMessage{}, F: sofab.Fields{}, P: new(sofab.RawMessage), M: map[string]uint8{}, C: new(celsius),
			K: ptr(new(sofab.RawMessage)),
		}
	}
	checkValue(t, full(), "02 02 08 00 16 07 1a 03 26 07 2e 07 36 07 3e 07 46 07 4e 07")
	for name, without := range map[string]func(*optional){
		"S": func(v *optional) { v.S.Valid = false }, "N": func(v *optional) { v.N.Valid = false },
		"T": func(v *optional) { v.T = nil }, "B": func(v *optional) { v.B = nil },
		"R": func(v *optional) { v.R = nil }, "F": func(v *optional) { v.F = nil },
		"P": func(v *optional) { v.P = nil }, "M": func(v *optional) { v.M = nil }, "C": func(v *optional) { v.C = nil },
		"K": func(v *optional) { v.K = nil },
	} {
		v := full()
		without(&v)
		checkEncodeError(t, &v, "sofab: optional."+name+": required field is nil")
		fields := sofab.Fields{}
		mustUnmarshal(t, mustMarshal(t, ptr(full())), &fields)
		rest := sofab.Fields{}
		for i, f := range fields {
			if "SNTBRFPMCK"[i:i+1] != name {
				rest = append(rest, f)
			}
		}
		var e *sofab.MissingFieldError
		if err := sofab.Unmarshal(mustMarshal(t, rest), new(optional)); !errors.As(err, &e) || e.Path != "optional."+name {
			t.Errorf("without %s: %v", name, err)
		}
	}
}
