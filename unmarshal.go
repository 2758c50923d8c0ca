package sofab

import (
	"io"
	"reflect"

	"github.com/sofab-go/sofab/stream"
)

// Unmarshal decodes one message, which is all of data, into the value that v points
// to. The value is first reset to its defaults, because fields at their defaults are
// absent from a message. Fields that arrive with another type, and unknown ones, are
// skipped. The value shares no memory with data.
//
// A non-nil pointer in an any is decoded into, if it points to a type that an arm of the
// any can be assigned to; see [Marshal]. Of two entries of a map with the same key the
// later one counts. Options.Merge puts the entries into the map that is there.
//
// v must be a non-nil pointer, else the error is an *[InvalidUnmarshalError]. A type
// with faults is an error before v is touched. After any other error the value is
// valid but unspecified.
func Unmarshal(data []byte, v any) error { return std.Unmarshal(data, v) }

// UnmarshalRead decodes one message, which is all that r delivers up to its end, into
// the value that v points to. It decodes as the bytes arrive; beside the value it
// takes no more memory than the largest field. An error of r is returned as it is.
func UnmarshalRead(r io.Reader, v any) error { return std.UnmarshalRead(r, v) }

// Valid reports whether data is a well-formed message, of any type. It does not
// allocate.
func Valid(data []byte) bool { return stream.Valid(data) }

// Check compiles the codec of T and returns every fault of T and of everything it
// reaches, joined; nil if there is none. It is meant for tests.
func Check[T any]() error {
	return std.types.entryFor(reflect.TypeFor[T]()).err
}

// Unmarshal is the function [Unmarshal] with the options of the codec.
func (c *Codec) Unmarshal(data []byte, v any) error {
	t, p, err := c.destination(v)
	if err != nil {
		return err
	}
	if t.simple && c.settings.plain {
		return c.unmarshalSimple(data, t.table, p)
	}
	d := decodeStates.Get().(*decodeState)
	d.p.ResetBytes(data)
	d.alias = c.settings.alias
	d.into(t, p, &c.settings)
	if !d.atOnce() {
		err = d.drive()
	}
	d.release()
	return err
}

// atOnce decodes a message that is all at hand as far as the fast prefix goes, and reports
// whether that is all there is to it. If not, drive goes on from there.
func (d *decodeState) atOnce() bool {
	if !fastPaths || d.step != atHeader {
		return false
	}
	d.fast()
	return d.p.Complete() && d.sizeEnd == noSizeEnd && !d.frames[0].table.required
}

// UnmarshalRead is the function [UnmarshalRead] with the options of the codec.
func (c *Codec) UnmarshalRead(r io.Reader, v any) error {
	t, p, err := c.destination(v)
	if err != nil {
		return err
	}
	d := decodeStates.Get().(*decodeState)
	d.p.ResetReader(r)
	d.p.SetEnd(c.settings.limits.Message)
	d.alias = false
	d.into(t, p, &c.settings)
	err = d.drive()
	d.release()
	return err
}

// destination is the entry of the type of v, which must be a pointer to a value, and that
// pointer. Where v points to an any with a pointer in it, it is that pointer.
func (c *Codec) destination(v any) (*entry, pointer, error) {
	if v == nil {
		return nil, pointer{}, &InvalidUnmarshalError{}
	}
	t, p := c.types.entryOf(v), boxed(v)
	if t.direct && !p.isNil() {
		return t, p, nil
	}
	if _, ok := v.(*any); ok {
		v = targetOf(v)
		t, p = c.types.entryOf(v), boxed(v)
	}
	if p.isNil() || t.levels == 0 && t.typ.Kind() != reflect.Pointer {
		return nil, p, &InvalidUnmarshalError{Type: t.typ}
	}
	return t, p, t.err
}

// into makes d ready to decode into the value that p, a pointer of the type of t,
// points to.
func (d *decodeState) into(t *entry, p pointer, o *settings) {
	target := t.typ
	for i := 1; i < t.levels; i++ {
		if i == 1 {
			target = target.Elem()
		}
		target = target.Elem()
		if p.load().isNil() {
			p.store(newValue(target))
		}
		p = p.load()
	}
	d.begin(t.table, p, o)
}

// drive decodes until the message is complete and its input at the end.
func (d *decodeState) drive() error {
	for {
		switch d.run() {
		case stream.Done:
			return nil
		case stream.Failed:
			return d.failure()
		}
		if d.p.Whole() && d.p.Complete() && d.endMessage() == stream.Done {
			return nil
		}
		more, err := d.p.Fetch()
		if !more && err == nil && d.p.AtEnd() {
			if more, err = d.p.GoesOn(); more {
				return d.messageOverLimit()
			}
		}
		switch {
		case err != nil:
			return err
		case more:
		case !d.p.Complete():
			return d.incomplete()
		case d.endMessage() != stream.Done:
			return d.fault
		default:
			return nil
		}
	}
}
