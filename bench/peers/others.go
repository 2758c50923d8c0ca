package peers

import (
	"bytes"
	"encoding/gob"
	"io"

	"github.com/fxamacker/cbor/v2"

	"github.com/sofab-go/sofab/bench/data"
)

func bindCBOR(w *data.Workload) (*Operations, error) {
	// Arrays of the workloads are longer than the decoder allows by default.
	dec, err := cbor.DecOptions{MaxArrayElements: 1 << 20}.DecMode()
	if err != nil {
		return nil, err
	}
	enc, err := cbor.EncOptions{}.UserBufferEncMode()
	if err != nil {
		return nil, err
	}
	s := newState(w.Value, w.Fresh)
	return s.operations(map[Direction]func() error{
		Encode: s.encodeWith(enc.Marshal),
		Append: s.bufferWith(func(b *bytes.Buffer, v any) error { return enc.MarshalToBuffer(v, b) }),
		Decode: s.decodeWith(dec.Unmarshal),
		Reuse:  s.reuseWith(dec.Unmarshal),
		Skip:   s.skipWith(func(b []byte) bool { return dec.Wellformed(b) == nil }),
	})
}

// bindGob sends the types with every message, as a program must that stores single
// values, and once before all of them for the directions that reuse something.
func bindGob(w *data.Workload) (*Operations, error) {
	s := newState(w.Value, w.Fresh)
	sender := gob.NewEncoder(&s.buffer)
	if err := sender.Encode(w.Value); err != nil {
		return nil, err
	}
	in := bytes.NewReader(append([]byte(nil), s.buffer.Bytes()...))
	receiver := gob.NewDecoder(in)
	if err := receiver.Decode(w.Fresh()); err != nil {
		return nil, err
	}
	s.buffer.Reset()
	if err := sender.Encode(w.Value); err != nil {
		return nil, err
	}
	values := append([]byte(nil), s.buffer.Bytes()...)
	return s.operations(map[Direction]func() error{
		Encode: s.encodeWith(func(v any) ([]byte, error) {
			var b bytes.Buffer
			err := gob.NewEncoder(&b).Encode(v)
			return b.Bytes(), err
		}),
		Append: s.bufferWith(func(_ *bytes.Buffer, v any) error { return sender.Encode(v) }),
		Decode: s.decodeWith(func(b []byte, v any) error { return gob.NewDecoder(bytes.NewReader(b)).Decode(v) }),
		Reuse: s.reuseWith(func(_ []byte, v any) error {
			in.Reset(values)
			err := receiver.Decode(v)
			if err == io.EOF {
				err = io.ErrUnexpectedEOF
			}
			return err
		}),
	})
}
