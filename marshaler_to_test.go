package sofab_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/sofab-go/sofab"
	"github.com/sofab-go/sofab/stream"
	"github.com/sofab-go/sofab/wire"
)

// level is a number for small values and a text for others.
type level uint64

func (l level) MarshalSofabTo(e *stream.Encoder, id wire.ID) error {
	switch {
	case l == 0:
		return nil
	case l < 100:
		return e.Unsigned(id, uint64(l))
	}
	return e.String(id, strconv.FormatUint(uint64(l), 10))
}

func (l *level) UnmarshalSofabFrom(d *stream.Decoder, f stream.Field) error {
	if f.Type == wire.Unsigned {
		v, err := d.Unsigned()
		*l = level(v)
		return err
	}
	s, err := d.String()
	if err != nil {
		return err
	}
	v, err := strconv.ParseUint(s, 10, 64)
	*l = level(v)
	return err
}

// pair is a sequence of its own making.
type pair struct{ a, b uint64 }

func (p *pair) MarshalSofabTo(e *stream.Encoder, id wire.ID) error {
	if err := e.BeginSequence(id); err != nil {
		return err
	}
	if p.a != 0 {
		e.Unsigned(0, p.a)
	}
	if p.b != 0 {
		e.Unsigned(1, p.b)
	}
	return e.EndSequenceKeep()
}

func (p *pair) UnmarshalSofabFrom(d *stream.Decoder, f stream.Field) error {
	if f.Type != wire.SequenceStart {
		return stream.ErrMismatch
	}
	for {
		f, err := d.Next()
		switch {
		case err != nil:
			return err
		case f.Type == wire.SequenceEnd:
			return nil
		case f.ID == 0:
			p.a, err = d.Unsigned()
		case f.ID == 1:
			p.b, err = d.Unsigned()
		}
		if err != nil {
			return err
		}
	}
}

type toHolder struct {
	A uint8    `sofab:"0"`
	V level    `sofab:"100"`
	P *level   `sofab:"101"`
	L []level  `sofab:"102"`
	B level    `sofab:"103,maxlen=4"`
	X pair     `sofab:"104"`
	N [2]pair  `sofab:"105"`
	Z uint8    `sofab:"106"`
	G []*level `sofab:"107"`
}

func TestMarshalerTo(t *testing.T) {
	with := func(v toHolder) toHolder { return v }
	const pairs = "c6 06 07 ce 06 06 07 0e 07 07"
	for _, c := range []struct {
		name    string
		v       toHolder
		encoded string
	}{
		{"zero", toHolder{}, pairs},
		{"number", toHolder{A: 1, V: 5, Z: 2}, "00 01 a0 06 05" + pairs + "d0 06 02"},
		{"text", toHolder{V: 105}, "a2 06 1a 31 30 35" + pairs},
		{"pointer", toHolder{P: ptr(level(5))}, "a8 06 05" + pairs},
		{"list", toHolder{L: []level{1, 0, 100}}, "b6 06 00 01 12 1a 31 30 30 07" + pairs},
		{"bounded", toHolder{B: 100}, "ba 06 1a 31 30 30" + pairs},
		{"sequences", toHolder{X: pair{a: 1}, N: [2]pair{{b: 2}, {1, 2}}}, "c6 06 00 01 07 ce 06 06 08 02 07 0e 00 01 08 02 07 07"},
		{"gaps", with(toHolder{G: []*level{nil, ptr(level(7))}}), pairs + "de 06 08 07 07"},
	} {
		t.Run(c.name, func(t *testing.T) { checkValue(t, c.v, strings.ReplaceAll(c.encoded, " ", "")) })
	}
	checkDecodesInto(t, "a0 06 05 a2 06 12 31 30", toHolder{V: 10})
	checkDecodesInto(t, "c6 06 00 01 07 c6 06 08 02 07", toHolder{X: pair{1, 2}})
	checkDecodesInto(t, "b6 06 00 01 00 02 07", toHolder{L: []level{2}})
	checkValue(t, level(5), "00 05")
	checkValue(t, level(100), "02 1a 31 30 30")
	checkValue(t, level(0), "")

	const suffix = ": wrote nothing where a field must be written: as last element of an array, or behind a pointer"
	checkEncodeError(t, &toHolder{P: ptr(level(0))}, "sofab: toHolder.P: MarshalSofabTo of sofab_test.level"+suffix)
	checkEncodeError(t, &toHolder{L: []level{5, 0}}, "sofab: toHolder.L[1]: MarshalSofabTo of sofab_test.level"+suffix)
	checkEncodeError(t, &toHolder{B: 1000}, "sofab: toHolder.B: 5 bytes are more than maxlen=4 allows")
	checkDecodeFails[toHolder](t, "ba 06 22 31 30 30 30", "R", "sofab: toHolder.B: 5 bytes are more than maxlen=4 allows at offset 6")
	checkDecodeFails[toHolder](t, "a2 06 12 31", "I", "sofab: toHolder.V: message ends inside a field or sequence at offset 4")
	checkDecodeFails[toHolder](t, "a2 06 12 31 ff", "R", "sofab: toHolder.V: UnmarshalSofabFrom of sofab_test.level: string is not UTF-8 at byte 1 at offset 4 at offset 0")
	for _, s := range decodeSurfaces[:1] {
		err := s.decode(unhex(t, "a1 06 05"), new(toHolder))
		if !errors.Is(err, stream.ErrMismatch) || textOf(err) != "sofab: toHolder.V: UnmarshalSofabFrom of sofab_test.level: field has another type at offset 0" {
			t.Errorf("%v", err)
		}
	}
}

// rogue breaks the contract of MarshalerTo and UnmarshalerFrom in several ways.
type rogue struct{ way string }

func (r rogue) MarshalSofabTo(e *stream.Encoder, id wire.ID) error {
	switch r.way {
	case "another id":
		return e.Unsigned(id+1, 1)
	case "two fields":
		e.Unsigned(id, 1)
		return e.Unsigned(id, 2)
	case "open sequence":
		return e.BeginSequence(id)
	case "header only":
		e.Header(id, wire.Unsigned)
		return nil
	case "stray end":
		e.Header(0, wire.SequenceEnd)
		return nil
	case "swallowed error":
		e.Unsigned(id, 1)
		_ = e.EndSequence()
		return nil
	case "another writer":
		e.ResetWriter(new(bytes.Buffer))
		return e.Unsigned(id, 1)
	case "another slice":
		e.ResetAppend([]byte{7})
		return e.Unsigned(id, 1)
	case "another start":
		e.Unsigned(id, 1)
		e.Restart()
		return e.Unsigned(id+1, 1)
	case "deep":
		for range 255 {
			e.BeginSequence(id)
		}
		for range 255 {
			e.EndSequenceKeep()
		}
		return nil
	}
	return errors.New(r.way)
}

func (r *rogue) UnmarshalSofabFrom(d *stream.Decoder, f stream.Field) error {
	switch f.Type {
	case wire.Unsigned: // left unread
		return nil
	case wire.Fixlen: // read in pieces, of which the last is left
		_, err := d.Chunk()
		return err
	case wire.SequenceStart: // the end is left unread
		_, err := d.Next()
		return err
	case wire.UnsignedArray: // the end of the input is met
		d.Skip()
		_, err := d.Next()
		if err != io.EOF {
			return fmt.Errorf("behind the field: %w", err)
		}
		return nil
	}
	return d.Skip()
}

func TestMarshalerToContract(t *testing.T) {
	type holder struct {
		S struct {
			V rogue `sofab:"1"`
		} `sofab:"0"`
	}
	for way, want := range map[string]string{
		"another id":      "wrote a field with id 2 instead of 1",
		"another writer":  "gave the encoder another output",
		"another slice":   "gave the encoder another output",
		"another start":   "wrote a field with id 2 instead of 1",
		"two fields":      "wrote more than one field; a sequence can hold them",
		"open sequence":   "left 1 sequences open",
		"header only":     "message ends inside a field or sequence at offset 1",
		"stray end":       "sequence end without an open sequence at offset 0",
		"swallowed error": "invalid argument: no sequence is open",
		"deep":            "more than 255 sequences deep, together with those around it",
		"no way":          "no way",
	} {
		var v holder
		v.S.V.way = way
		checkEncodeError(t, &v, "sofab: holder.S.V: MarshalSofabTo of sofab_test.rogue: "+want)
	}
	for input, want := range map[string]string{
		"06 08 05 07":       "left 1 bytes of the value unread; pass what is not needed with Skip",
		"06 0a 12 41 42 07": "",
		"06 0a 12 41 ff 07": "string is not UTF-8 at byte 1 at offset 3",
		"06 0e 07 07":       "",
		"06 0e 00 05 07 07": "left 2 bytes of the value unread; pass what is not needed with Skip",
		"06 0b 01 05 07":    "",
		"06 09 05 07":       "",
	} {
		if want != "" {
			want = "sofab: holder.S.V: UnmarshalSofabFrom of sofab_test.rogue: " + want + " at offset 1"
		}
		if err := sofab.Unmarshal(unhex(t, input), new(holder)); textOf(err) != want {
			t.Errorf("%s: %v, want %s", input, err, want)
		}
	}
}

// hoarder keeps the stream objects and slices it is given.
type hoarder struct{ n uint64 }

var hoarded struct {
	sync.Mutex
	encoders map[*stream.Encoder]bool
	decoders map[*stream.Decoder]bool
}

func (h hoarder) MarshalSofabTo(e *stream.Encoder, id wire.ID) error {
	hoarded.Lock()
	defer hoarded.Unlock()
	if hoarded.encoders[e] {
		return errors.New("an encoder was given out twice")
	}
	hoarded.encoders[e] = true
	return e.Unsigned(id, h.n)
}

func (h *hoarder) UnmarshalSofabFrom(d *stream.Decoder, _ stream.Field) error {
	hoarded.Lock()
	defer hoarded.Unlock()
	if hoarded.decoders[d] {
		return errors.New("a decoder was given out twice")
	}
	hoarded.decoders[d] = true
	var err error
	h.n, err = d.Unsigned()
	return err
}

func TestStreamObjectsAreNotShared(t *testing.T) {
	hoarded.encoders, hoarded.decoders = map[*stream.Encoder]bool{}, map[*stream.Decoder]bool{}
	var group sync.WaitGroup
	for i := range 8 {
		group.Add(1)
		go func() {
			defer group.Done()
			want := []hoarder{{uint64(i)}, {uint64(i) + 1}}
			for range 50 {
				b, err := sofab.Marshal(want)
				if err != nil {
					t.Error(err)
				}
				var got []hoarder
				if err := sofab.Unmarshal(b, &got); err != nil || !slices.Equal(got, want) {
					t.Errorf("%v, %v", got, err)
				}
			}
		}()
	}
	group.Wait()
	if len(hoarded.encoders) != 800 || len(hoarded.decoders) != 800 {
		t.Errorf("%d encoders, %d decoders, want 800 of each", len(hoarded.encoders), len(hoarded.decoders))
	}
}
