package sofab_test

import (
	"bytes"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/sofab-go/sofab"
	"github.com/sofab-go/sofab/wire"
)

// checkValue encodes v on every surface and decodes the bytes on every surface.
func checkValue[T any](t *testing.T, v T, encoded string) {
	t.Helper()
	checkEncode(t, "value", &v, unhex(t, encoded))
	checkDecodesInto(t, encoded, v)
}

// checkVerbatim is checkValue for bytes that the format allows and that need not be
// canonical.
func checkVerbatim[T any](t *testing.T, v T, encoded string) {
	t.Helper()
	for _, s := range encodeSurfaces {
		if got, err := s.encode(&v); err != nil || !bytes.Equal(got, unhex(t, encoded)) {
			t.Errorf("%s: %x, %v, want %s", s.name, got, err, encoded)
		}
	}
	checkDecodesInto(t, encoded, v)
}

// checkDecodesInto decodes the bytes on every surface, into a new value and into one that
// was decoded into before.
func checkDecodesInto[T any](t *testing.T, input string, want T) {
	t.Helper()
	for _, s := range decodeSurfaces {
		if strings.Contains(s.name, "used destination") {
			continue // it cannot litter what has unexported fields
		}
		var got T
		for _, round := range []string{"", " again"} {
			if err := s.decode(unhex(t, input), &got); err != nil {
				t.Errorf("%s%s: %v", s.name, round, err)
			} else if diff := cmp.Diff(want, got, exported); diff != "" {
				t.Errorf("%s%s (-want +got):\n%s", s.name, round, diff)
			}
		}
	}
}

// exported makes cmp look at unexported fields.
var exported = cmp.Exporter(func(reflect.Type) bool { return true })

// checkDecodeFails decodes the bytes on every surface and demands one verdict and one text.
func checkDecodeFails[T any](t *testing.T, input, want, text string) {
	t.Helper()
	for _, s := range decodeSurfaces {
		if strings.Contains(s.name, "used destination") {
			continue
		}
		err := s.decode(unhex(t, input), new(T))
		if got := verdict(t, err); got != want {
			t.Errorf("%s: verdict %s (%v), want %s", s.name, got, err, want)
		} else if !sameText(s.name, err, text) {
			t.Errorf("%s: %v\nwant %s", s.name, err, text)
		}
	}
}

// sameText compares the text of an error. A length in front moves the offset.
func sameText(surface string, err error, text string) bool {
	got := textOf(err)
	if strings.HasSuffix(surface, "LengthPrefixed") {
		got, text = strings.TrimRight(got, "0123456789"), strings.TrimRight(text, "0123456789")
	}
	return got == text
}

// checkEncodeError demands an error with a text on every surface.
func checkEncodeError(t *testing.T, v any, text string) error {
	t.Helper()
	err := checkEncodeFails(t, v)
	if err == nil || err.Error() != text {
		t.Errorf("error %v\nwant  %s", err, text)
	}
	return err
}

type rawHolder struct {
	A uint8                       `sofab:"0"`
	M sofab.RawMessage            `sofab:"1"`
	P *sofab.RawMessage           `sofab:"2"`
	L []sofab.RawMessage          `sofab:"3"`
	N sofab.RawMessage            `sofab:"4,presence"`
	B sofab.RawMessage            `sofab:"5,maxlen=3"`
	G []*sofab.RawMessage         `sofab:"6"`
	F [2]sofab.RawMessage         `sofab:"7"`
	S struct{ sofab.RawMessage }  `sofab:"8"`
	T *struct{ sofab.RawMessage } `sofab:"9"`
	Z uint8                       `sofab:"10"`
}

func TestRawMessage(t *testing.T) {
	raw := func(s string) sofab.RawMessage { return unhex(t, s) }
	one := raw("00 05")
	empty := sofab.RawMessage{}
	for _, c := range []struct {
		name    string
		v       rawHolder
		encoded string
	}{
		{"absent", rawHolder{}, ""},
		{"body", rawHolder{A: 1, M: one, Z: 2}, "00 01 0e 00 05 07 50 02"},
		{"verbatim", rawHolder{M: raw("80 00 85 00 00 00 1e 0b 02 01 01 87 00")}, "0e 80 00 85 00 00 00 1e 0b 02 01 01 87 00 07"},
		{"ends like an end", rawHolder{M: raw("02 0b 87")}, "0e 02 0b 87 07"},
		{"pointer", rawHolder{P: &one}, "16 00 05 07"},
		{"list", rawHolder{L: []sofab.RawMessage{nil, one, nil}}, "1e 0e 00 05 07 16 07 07"},
		{"explicitly empty", rawHolder{N: empty}, "26 07"},
		{"bounded", rawHolder{B: raw("00 80 01")}, "2e 00 80 01 07"},
		{"gaps", rawHolder{G: []*sofab.RawMessage{nil, &one}}, "36 0e 00 05 07 07"},
		{"array", rawHolder{F: [2]sofab.RawMessage{1: one}}, "3e 0e 00 05 07 07"},
		{"embedded", rawHolder{S: struct{ sofab.RawMessage }{one}, T: &struct{ sofab.RawMessage }{one}}, "46 00 05 07 4e 00 05 07"},
	} {
		t.Run(c.name, func(t *testing.T) { checkVerbatim(t, c.v, c.encoded) })
	}
	for _, c := range []struct {
		name, input string
		want        rawHolder
	}{
		{"empty frame", "0e 07", rawHolder{}},
		{"opened again", "0e 00 05 07 0e 08 06 07 0e 07", rawHolder{M: raw("00 05 08 06")}},
		{"element opened again", "1e 06 00 05 07 06 00 06 07 07", rawHolder{L: []sofab.RawMessage{raw("00 05 00 06")}}},
		{"wrapper opened again", "1e 06 00 05 07 07 1e 0e 00 06 07 07", rawHolder{L: []sofab.RawMessage{nil, raw("00 06")}}},
		{"another type", "0e 00 05 07 08 05", rawHolder{M: raw("00 05")}},
		{"end in another spelling", "0e 02 0b 87 8f 00", rawHolder{M: raw("02 0b 87")}},
		{"empty pointer", "16 07", rawHolder{P: new(sofab.RawMessage)}},
	} {
		t.Run(c.name, func(t *testing.T) { checkDecodesInto(t, c.input, c.want) })
	}
	for _, c := range []struct{ name, input, verdict, text string }{
		{"not closed", "0e 00 05", "I", "sofab: rawHolder.M: message ends inside a field or sequence at offset 3"},
		{"malformed inside", "0e 16 02 2c", "R", "sofab: rawHolder.M: malformed message: reserved fixlen subtype at offset 3"},
		{"over the bound", "2e 00 05 00 05", "R", "sofab: rawHolder.B: 4 bytes are more than maxlen=3 allows at offset 4"},
		{"over the bound in a payload", "2e 02 aa 01 01 01", "R", "sofab: rawHolder.B: 4 bytes are more than maxlen=3 allows at offset 4"},
		{"over the bound before a fault", "2e 00 05 00 05 02 2c", "R", "sofab: rawHolder.B: 4 bytes are more than maxlen=3 allows at offset 4"},
		{"opened again over the bound", "2e 00 05 07 2e 08 06 07", "R", "sofab: rawHolder.B: 4 bytes are more than maxlen=3 allows at offset 6"},
		{"fault before the bound", "2e 02 2c 00 05 00", "R", "sofab: rawHolder.B: malformed message: reserved fixlen subtype at offset 2"},
	} {
		t.Run(c.name, func(t *testing.T) {
			text := c.text
			var r error = sofab.Unmarshal(unhex(t, c.input), new(rawHolder))
			if c.name == "malformed inside" || c.name == "fault before the bound" {
				text = r.Error() // that of package wire
			}
			checkDecodeFails[rawHolder](t, c.input, c.verdict, text)
		})
	}
	checkEncodeError(t, &rawHolder{M: raw("00")}, "sofab: rawHolder.M: MarshalSofab of sofab.RawMessage: message ends inside a field or sequence at offset 1")
	checkEncodeError(t, &rawHolder{M: raw("07")}, "sofab: rawHolder.M: MarshalSofab of sofab.RawMessage: sequence end without an open sequence at offset 0")
	checkEncodeError(t, &rawHolder{L: []sofab.RawMessage{nil, raw("06")}}, "sofab: rawHolder.L[1]: MarshalSofab of sofab.RawMessage: message ends inside a field or sequence at offset 1")
	err := checkEncodeError(t, &rawHolder{B: raw("00 05 00 05")}, "sofab: rawHolder.B: 4 bytes are more than maxlen=3 allows")
	if errors.Is(err, sofab.ErrInvalid) {
		t.Error("a bound error on encode is ErrInvalid")
	}
}

func TestRawMessageDepth(t *testing.T) {
	body := func(depth int) sofab.RawMessage {
		return append(bytes.Repeat([]byte{0x06}, depth), bytes.Repeat([]byte{0x07}, depth)...)
	}
	type holder struct {
		S struct {
			M sofab.RawMessage `sofab:"0"`
		} `sofab:"0"`
	}
	var v holder
	v.S.M = body(253)
	encoded := append(append(bytes.Repeat([]byte{0x06}, 255), bytes.Repeat([]byte{0x07}, 253)...), 0x07, 0x07)
	checkEncode(t, "255", &v, encoded)
	checkEncode(t, "255 as message", ptr(body(255)), body(255))
	v.S.M = body(254)
	checkEncodeError(t, &v, "sofab: holder.S.M: MarshalSofab of sofab.RawMessage: more than 255 sequences deep, together with those around it")
	for _, s := range decodeSurfaces {
		var m sofab.RawMessage
		if err := s.decode(body(256), &m); !errors.Is(err, sofab.ErrInvalid) {
			t.Errorf("%s: 256 sequences: %v", s.name, err)
		}
		if err := s.decode(body(255), &m); err != nil || !bytes.Equal(m, body(255)) {
			t.Errorf("%s: 255 sequences: %v", s.name, err)
		}
	}
}

func TestRawMessageAsMessage(t *testing.T) {
	checkValue(t, sofab.RawMessage(nil), "")
	checkVerbatim(t, sofab.RawMessage(unhex(t, "80 00 05 06 02 0b 87 07")), "80 00 05 06 02 0b 87 07")
	checkValue(t, ptr(sofab.RawMessage(unhex(t, "00 05"))), "00 05")
	checkDecodeFails[sofab.RawMessage](t, "00 05 06", "I", "sofab: RawMessage: message ends inside a field or sequence at offset 3")
	checkEncodeError(t, ptr(sofab.RawMessage{0}), "sofab: RawMessage: MarshalSofab of sofab.RawMessage: message ends inside a field or sequence at offset 1")
}

// The value must not change with the input, nor when the next message is decoded.
func TestRawMessageSharesNothing(t *testing.T) {
	type holder struct {
		M sofab.RawMessage    `sofab:"1"`
		F sofab.RawField      `sofab:"2"`
		U sofab.UnknownFields `sofab:",unknown"`
	}
	input := unhex(t, "0e 00 05 07 12 0b 01 18 07 28 09")
	want := holder{unhex(t, "00 05"), unhex(t, "02 0b 01"), unhex(t, "18 07 28 09")}
	for _, s := range decodeSurfaces {
		own := bytes.Clone(input)
		var got holder
		if err := s.decode(own, &got); err != nil {
			t.Errorf("%s: %v", s.name, err)
		}
		scrub(own)
		var next holder
		if err := s.decode(own[:0], &next); err != nil {
			t.Errorf("%s: %v", s.name, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", s.name, diff)
		}
		grown := append(got.M, 1)
		_ = append(got.M, 2)
		if grown[len(grown)-1] != 2 && cap(got.M) > len(got.M) {
			t.Errorf("%s: unexpected memory", s.name)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: appending to one changed another (-want +got):\n%s", s.name, diff)
		}
	}
}

func TestRawMessageAlias(t *testing.T) {
	codec, err := sofab.Options{Alias: true}.Codec()
	if err != nil {
		t.Fatal(err)
	}
	var v rawHolder
	input := unhex(t, "0e 00 05 07 0e 08 06 07 16 00 07 07")
	if err := codec.Unmarshal(input, &v); err != nil {
		t.Fatal(err)
	}
	input[10] = 0x08
	want := rawHolder{M: unhex(t, "00 05 08 06"), P: ptr(sofab.RawMessage(unhex(t, "00 08")))}
	if diff := cmp.Diff(want, v, exported); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	var m sofab.RawMessage
	if err := codec.Unmarshal(input, &m); err != nil || &m[0] != &input[0] || cap(m) != len(m) {
		t.Errorf("as message: %v, %x of capacity %d", err, m, cap(m))
	}
}

// The methods are exported and may be called with anything.
func TestRawMessageMethods(t *testing.T) {
	valid := unhex(t, "00 05 0e 02 0b 87 07 1b 02 01 02")
	complete := map[int]bool{0: true, 2: true, 7: true, 11: true}
	for n := range len(valid) + 1 {
		own := bytes.Clone(valid[:n])
		m := sofab.RawMessage("was")
		err := m.UnmarshalSofab(own)
		scrub(own)
		switch {
		case complete[n] && (err != nil || !bytes.Equal(m, valid[:n])):
			t.Errorf("%d bytes: %v, %x", n, err, m)
		case !complete[n] && (!errors.Is(err, sofab.ErrIncomplete) || string(m) != "was"):
			t.Errorf("%d bytes: %v, %q", n, err, m)
		}
		back, err := m.MarshalSofab()
		if err != nil || !bytes.Equal(back, m) {
			t.Errorf("%d bytes: MarshalSofab gave %x, %v", n, back, err)
		}
	}
	if err := (*sofab.RawMessage)(nil).UnmarshalSofab(nil); err == nil {
		t.Error("a nil *RawMessage was unmarshalled into")
	}
}

// Decoding and encoding look at a body once, however deep it is.
func TestRawMessageIsLinear(t *testing.T) {
	type holder struct {
		M sofab.RawMessage `sofab:"1"`
	}
	message := bytes.Repeat([]byte{0x00, 0x05}, 10_000)
	for range 50 {
		message = append(append([]byte{0x0e}, message...), 0x07)
	}
	var v holder
	if got := allocatedBy(func() { mustUnmarshal(t, message, &v) }); got > 3*uint64(len(message)) {
		t.Errorf("decoding %d bytes allocated %d", len(message), got)
	}
	dst := make([]byte, 0, len(message))
	if n := testing.AllocsPerRun(10, func() {
		if _, err := sofab.MarshalAppend(dst, &v); err != nil {
			t.Fatal(err)
		}
	}); n > 0 {
		t.Errorf("encoding allocated %v times", n)
	}
}

func mustUnmarshal(t testing.TB, data []byte, v any) {
	t.Helper()
	if err := sofab.Unmarshal(data, v); err != nil {
		t.Fatal(err)
	}
}

func TestRawCap(t *testing.T) {
	codec, err := sofab.Options{Limits: sofab.Limits{Blob: 3}}.Codec()
	if err != nil {
		t.Fatal(err)
	}
	type holder struct {
		M sofab.RawMessage    `sofab:"1"`
		F sofab.RawField      `sofab:"2"`
		B sofab.RawMessage    `sofab:"3,maxlen=9"`
		U sofab.UnknownFields `sofab:",unknown"`
	}
	for input, want := range map[string]string{
		"0e 00 80 01 07":          "",
		"0e 00 05 00 05 07":       "sofab: holder.M: 4 bytes are over the limit of 3 at offset 4; declare a bound in the tag or raise Options.Limits.Blob",
		"12 13 01 02":             "",
		"12 1b 01 02 03":          "sofab: holder.F: 4 bytes are over the limit of 3 at offset 4; declare a bound in the tag or raise Options.Limits.Blob",
		"1e 02 33 1 2 3 4 5 6 07": "",
		"22 1b 01 02 03":          "sofab: holder.U: 4 bytes are over the limit of 3 at offset 4; declare a bound in the tag or raise Options.Limits.Blob",
	} {
		input = strings.NewReplacer(" 1 2 3 4 5 6", " 010203040506").Replace(input)
		for _, size := range []int{1, 100} {
			f, err := codec.NewFeeder(new(holder))
			if err != nil {
				t.Fatal(err)
			}
			err = feedTo(f, unhex(t, input), size)
			if got := textOf(err); got != want || want != "" && !errors.Is(err, sofab.ErrLimit) {
				t.Errorf("%s in chunks of %d: %s\nwant %s", input, size, got, want)
			}
		}
	}
}

func textOf(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

type fieldHolder struct {
	A uint8            `sofab:"0"`
	F sofab.RawField   `sofab:"300"`
	L []sofab.RawField `sofab:"301"`
	B sofab.RawField   `sofab:"302,maxlen=3"`
}

func TestRawField(t *testing.T) {
	raw := func(s string) sofab.RawField { return unhex(t, s) }
	for _, c := range []struct {
		name    string
		v       fieldHolder
		encoded string
	}{
		{"absent", fieldHolder{}, ""},
		{"unsigned", fieldHolder{A: 1, F: raw("00 05")}, "00 01 e0 12 05"},
		{"signed", fieldHolder{F: raw("01 05")}, "e1 12 05"},
		{"fp32", fieldHolder{F: raw("02 20 00 00 80 3f")}, "e2 12 20 00 00 80 3f"},
		{"blob", fieldHolder{F: raw("02 0b 07")}, "e2 12 0b 07"},
		{"unsigneds", fieldHolder{F: raw("03 02 05 80 01")}, "e3 12 02 05 80 01"},
		{"signeds", fieldHolder{F: raw("04 00")}, "e4 12 00"},
		{"floats", fieldHolder{F: raw("05 01 20 00 00 80 3f")}, "e5 12 01 20 00 00 80 3f"},
		{"sequence", fieldHolder{F: raw("06 0e 00 05 07 07")}, "e6 12 0e 00 05 07 07"},
		{"sequence twice", fieldHolder{F: raw("06 00 05 07 06 08 06 07")}, "e6 12 00 05 07 e6 12 08 06 07"},
		{"list", fieldHolder{L: []sofab.RawField{nil, raw("02 0a 41"), raw("00 05")}}, "ee 12 0a 0a 41 10 05 07"},
		{"bounded", fieldHolder{B: raw("02 13 01 02")}, "f2 12 13 01 02"},
	} {
		t.Run(c.name, func(t *testing.T) {
			checkVerbatim(t, c.v, c.encoded)
		})
	}
	checkDecodesInto(t, "e0 12 05 e1 12 06", fieldHolder{F: raw("01 06")})
	checkDecodesInto(t, "e6 12 07 e0 12 05", fieldHolder{F: raw("00 05")})
	checkDecodesInto(t, "e0 92 00 85 00", fieldHolder{F: raw("00 85 00")})
	checkDecodeFails[fieldHolder](t, "f2 12 1b 01 02 03", "R", "sofab: fieldHolder.B: 4 bytes are more than maxlen=3 allows at offset 5")
	checkVerbatim(t, fieldHolder{B: raw("06 07 06 07")}, "f6 12 07 f6 12 07")
	checkDecodeFails[fieldHolder](t, "f6 12 00 05 07 f6 12 07", "R", "sofab: fieldHolder.B: 4 bytes are more than maxlen=3 allows at offset 7")
	checkDecodeFails[fieldHolder](t, "e2 12 1b 01", "I", "sofab: fieldHolder.F: message ends inside a field or sequence at offset 4")

	checkEncodeError(t, &fieldHolder{F: raw("08 05")}, "sofab: fieldHolder.F: malformed RawField: its id is 1; it must be 0, as in Marshal(value)")
	checkEncodeError(t, &fieldHolder{F: raw("00 05 00 05")}, "sofab: fieldHolder.F: malformed RawField: more than one field")
	checkEncodeError(t, &fieldHolder{F: raw("02 0b")}, "sofab: fieldHolder.F: malformed RawField: message ends inside a field or sequence at offset 2")
	checkEncodeError(t, &fieldHolder{L: []sofab.RawField{nil}}, "sofab: fieldHolder.L[0]: empty RawField where a field must be written: as last element of an array, or behind a pointer")
	checkEncodeError(t, &fieldHolder{B: raw("02 1b 01 02 03")}, "sofab: fieldHolder.B: 4 bytes are more than maxlen=3 allows")

	// A value passes from one id to another, and to and from a Go value.
	text, err := sofab.Marshal("A")
	if err != nil {
		t.Fatal(err)
	}
	checkValue(t, fieldHolder{F: text}, "e2 12 0a 41")
	var s string
	if mustUnmarshal(t, text, &s); s != "A" {
		t.Errorf("%q", s)
	}
	checkValue(t, sofab.RawField(text), "02 0a 41")
	for _, c := range []struct {
		f    string
		want wire.Type
		ok   bool
	}{{"", 0, false}, {"80", 0, false}, {"02 0a 41", wire.Fixlen, true}, {"06 07", wire.SequenceStart, true}} {
		if got, ok := raw(c.f).Type(); ok != c.ok || ok && got != c.want {
			t.Errorf("type of %q is %v, %t", c.f, got, ok)
		}
	}
}

// A Feeder that stopped inside a value forgets it on Reset.
func TestFeederResetInsideValue(t *testing.T) {
	for _, partial := range []string{"0e 00 05", "12 2a 41 42", "1b 04 01", "22 2b 01", "2e 06 02 2a 41"} {
		var v struct {
			M sofab.RawMessage    `sofab:"1"`
			S string              `sofab:"2"`
			A []uint64            `sofab:"3"`
			B []byte              `sofab:"4"`
			L []string            `sofab:"5"`
			U sofab.UnknownFields `sofab:",unknown"`
		}
		f, err := sofab.NewFeeder(&v)
		if err != nil {
			t.Fatal(err)
		}
		if err := f.Feed(unhex(t, partial)); !errors.Is(err, sofab.ErrIncomplete) {
			t.Errorf("%s: %v", partial, err)
		}
		f.Reset()
		whole := unhex(t, "0e 08 01 07 12 0a 43 1b 01 02 22 0b 03 2e 02 0a 44 07 32 0a 45")
		for _, b := range whole {
			err = f.Feed([]byte{b})
		}
		if err != nil {
			t.Errorf("%s: %v", partial, err)
		}
		if again, err := sofab.Marshal(&v); err != nil || !bytes.Equal(again, whole) {
			t.Errorf("after %s: %x, %v, want %x", partial, again, err, whole)
		}
	}
}
