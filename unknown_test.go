package sofab_test

import (
	"bytes"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/sofab-go/sofab"
	"github.com/sofab-go/sofab/wire"
)

type unknownInner struct {
	B       uint8               `sofab:"1"`
	Unknown sofab.UnknownFields `sofab:",unknown"`
}

type unknownEmbedded struct {
	Rest sofab.UnknownFields `sofab:",unknown"`
	E    uint8               `sofab:"40"`
}

type unknownHolder struct {
	A       uint8               `sofab:"2"`
	N       unknownInner        `sofab:"5"`
	Unknown sofab.UnknownFields `sofab:",unknown"`
	L       []unknownInner      `sofab:"6"`
	P       *unknownInner       `sofab:"7"`
	D       uint8               `sofab:"9,default=3"`
}

func TestUnknownFields(t *testing.T) {
	raw := func(s string) sofab.UnknownFields { return unhex(t, s) }
	for _, c := range []struct {
		name    string
		v       unknownHolder
		encoded string
	}{
		{"none", unknownHolder{A: 1, D: 3}, "10 01"},
		{"all around", unknownHolder{A: 1, D: 4, Unknown: raw("00 05 1a 0a 41 46 00 01 07 50 06")}, "00 05 10 01 1a 0a 41 46 00 01 07 48 04 50 06"},
		{"alone", unknownHolder{D: 3, Unknown: raw("1b 01 05")}, "1b 01 05"},
		{"nested", unknownHolder{D: 3, N: unknownInner{B: 1, Unknown: raw("00 05 10 06")}}, "2e 00 05 08 01 10 06 07"},
		{"nested alone", unknownHolder{D: 3, N: unknownInner{Unknown: raw("10 06")}}, "2e 10 06 07"},
		{"elements", unknownHolder{D: 3, L: []unknownInner{{Unknown: raw("10 06")}, {}, {B: 1}}}, "36 06 10 06 07 16 08 01 07 07"},
		{"behind a pointer", unknownHolder{D: 3, P: &unknownInner{Unknown: raw("10 06")}}, "3e 10 06 07"},
		{"repeated", unknownHolder{D: 3, Unknown: raw("1e 00 05 07 1e 08 06 07")}, "1e 00 05 07 1e 08 06 07"},
	} {
		t.Run(c.name, func(t *testing.T) { checkVerbatim(t, c.v, c.encoded) })
	}
	// They are kept as they arrive and written by ascending id; those of one id keep
	// their order.
	arrived := unknownHolder{A: 1, D: 3, Unknown: raw("50 06 00 05 1e 00 01 07 00 07 1e 08 02 07")}
	checkDecodesInto(t, "50 06 10 01 00 05 1e 00 01 07 00 07 1e 08 02 07", arrived)
	for _, s := range encodeSurfaces {
		want := unhex(t, "00 05 00 07 10 01 1e 00 01 07 1e 08 02 07 50 06")
		if got, err := s.encode(&arrived); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s: %x, %v, want %x", s.name, got, err, want)
		}
	}
	// A struct that is opened again goes on; a claimed id of another type is none of them.
	checkDecodesInto(t, "2e 10 06 07 2e 18 07 07 11 02", unknownHolder{D: 3, N: unknownInner{Unknown: raw("10 06 18 07")}})
	checkDecodeFails[unknownHolder](t, "2e 12 1a 41", "I", "sofab: unknownHolder.N.Unknown: message ends inside a field or sequence at offset 4")
	checkDecodeFails[unknownHolder](t, "02 2c", "R", "sofab: unknownHolder.Unknown: fixlen word has a reserved subtype at offset 1")

	checkEncodeError(t, &unknownHolder{Unknown: raw("10 01")}, "sofab: unknownHolder.Unknown: id 2 is that of field A and not unknown")
	checkEncodeError(t, &unknownHolder{N: unknownInner{Unknown: raw("06")}}, "sofab: unknownHolder.N.Unknown: malformed UnknownFields: message ends inside a field or sequence at offset 1")
	deep := append(bytes.Repeat([]byte{0x06}, 255), bytes.Repeat([]byte{0x07}, 255)...)
	checkEncodeError(t, &unknownHolder{N: unknownInner{Unknown: deep}}, "sofab: unknownHolder.N.Unknown: malformed UnknownFields: more than 255 sequences deep, together with those around it")
}

// An older program passes a message on without loss.
func TestUnknownFieldsRoundTrip(t *testing.T) {
	type newer struct {
		A []string          `sofab:"0"`
		B map[string]uint64 `sofab:"1"`
		C float64           `sofab:"2"`
		D *newerInner       `sofab:"3"`
		E []byte            `sofab:"4"`
	}
	type older struct {
		C       float64             `sofab:"2"`
		Unknown sofab.UnknownFields `sofab:",unknown"`
	}
	v := newer{[]string{"a", "", "c"}, map[string]uint64{"x": 1, "y": 0}, 2.5, &newerInner{7}, []byte{9}}
	want := mustMarshal(t, &v)
	var passed older
	mustUnmarshal(t, want, &passed)
	passed.C = 3.5
	v.C = 3.5
	if diff := cmp.Diff(mustMarshal(t, &v), mustMarshal(t, &passed)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	var fields sofab.Fields
	mustUnmarshal(t, passed.Unknown, &fields)
	if got := fields.Get(4); !cmp.Equal(got, []byte{9}) {
		t.Errorf("field 4 is %v", got)
	}
}

type newerInner struct {
	N uint8 `sofab:"1"`
}

func TestUnknownFieldsEmbedded(t *testing.T) {
	type byValue struct {
		unknownEmbedded
		A uint8 `sofab:"1"`
	}
	checkValue(t, byValue{unknownEmbedded{Rest: unhex(t, "10 05"), E: 1}, 2}, "08 02 10 05 c0 02 01")
	type Embedded unknownEmbedded
	type byPointer struct {
		*Embedded
		A uint8 `sofab:"1"`
	}
	checkValue(t, byPointer{nil, 2}, "08 02")
	checkValue(t, byPointer{&Embedded{Rest: unhex(t, "10 05")}, 2}, "08 02 10 05")
}

func TestUnknownFieldsOptions(t *testing.T) {
	reject := newCodec(sofab.Options{Unknown: sofab.Reject, Merge: true})
	v := unknownHolder{Unknown: unhex(t, "00 01")}
	if err := reject.Unmarshal(unhex(t, "00 02"), &v); err != nil || !bytes.Equal(v.Unknown, unhex(t, "00 01 00 02")) {
		t.Errorf("%x, %v", v.Unknown, err)
	}
	type closed struct {
		A uint8        `sofab:"1"`
		N unknownInner `sofab:"2"`
	}
	var c closed
	if err := reject.Unmarshal(unhex(t, "16 00 05 07 18 01"), &c); !errors.Is(err, sofab.ErrUnknownField) || textOf(err) != "sofab: closed: unknown field with id 3 at offset 4" {
		t.Errorf("%v", err)
	}
	reuse := newCodec(sofab.Options{Reuse: true})
	if err := reuse.Unmarshal(unhex(t, "00 02"), &v); err != nil || !bytes.Equal(v.Unknown, unhex(t, "00 02")) {
		t.Errorf("with Reuse: %x, %v", v.Unknown, err)
	}
}

// Nobody who sends unknown fields in any order makes collecting or writing them slow.
func TestUnknownFieldsAreLinear(t *testing.T) {
	const n = 200_000
	var input []byte
	for i := range n {
		input = append(wire.AppendHeader(input, wire.ID(n-i+100), wire.Unsigned), 1)
	}
	var v unknownHolder
	mustUnmarshal(t, input, &v)
	got := mustMarshal(t, &v)
	fields, err := oracleRead(got)
	if err != nil || len(got) != len(input) || len(fields) != n || !fields.ascending() {
		t.Errorf("%d bytes became %d, %d fields: %v", len(input), len(got), len(fields), err)
	}
}

func TestUnknownFieldsFaults(t *testing.T) {
	type faults struct {
		A sofab.UnknownFields   `sofab:"1"`
		B []byte                `sofab:",unknown"`
		C sofab.UnknownFields   `sofab:"2,unknown"`
		D sofab.UnknownFields   `sofab:",unknown,maxlen=4"`
		E sofab.UnknownFields   `sofab:",unknown"`
		F sofab.UnknownFields   `sofab:",unknown"`
		G []sofab.UnknownFields `sofab:"3"`
		H *sofab.UnknownFields  `sofab:",unknown"`
	}
	type promoted struct {
		unknownEmbedded
		Unknown sofab.UnknownFields `sofab:",unknown"`
	}
	type inUnion struct {
		A *uint8              `sofab:"1"`
		U sofab.UnknownFields `sofab:",unknown"`
	}
	type union struct {
		U inUnion `sofab:"1,union"`
	}
	const id = "UnknownFields is for a field of a struct with the tag `sofab:\",unknown\"`, without id"
	const typ = "sofab: type sofab_test.faults: field "
	for _, c := range []struct {
		err  error
		want []string
	}{
		{sofab.Check[faults](), []string{
			typ + "A: " + id,
			typ + `B: tag ",unknown": option "unknown" does not go with type []uint8 at byte 1; it is for sofab.UnknownFields`,
			typ + "C: tag \"2,unknown\": unknown fields have ids of their own at byte 0; write `sofab:\",unknown\"`",
			typ + `D: tag ",unknown,maxlen=4": option "maxlen" does not go with type sofab.UnknownFields at byte 9`,
			typ + `F: tag ",unknown": E holds the unknown fields already at byte 1`,
			typ + "G: " + id,
			typ + `H: tag ",unknown": option "unknown" does not go with type *sofab.UnknownFields at byte 1; it is for sofab.UnknownFields`,
		}},
		{sofab.Check[promoted](), []string{
			`sofab: type sofab_test.promoted: field Unknown: tag ",unknown": unknownEmbedded.Rest holds the unknown fields already at byte 1`,
		}},
		{sofab.Check[union](), []string{
			`sofab: type sofab_test.union: field U: tag "1,union": field U of union sofab_test.inUnion holds unknown fields at byte 2; a union is one arm at most`,
		}},
		{sofab.Check[sofab.UnknownFields](), []string{"sofab: type sofab.UnknownFields: " + id}},
	} {
		if diff := cmp.Diff(c.want, lines(c.err)); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
}
