package peers

import (
	"bytes"
	"io"

	"github.com/tinylib/msgp/msgp"
	"github.com/vmihailenco/msgpack/v5"

	"github.com/sofab-go/sofab/bench/data"
)

func bindMsgp(w *data.Workload) (*Operations, error) {
	s := newState(w.Value, w.Fresh)
	return s.operations(map[Direction]func() error{
		Encode: s.encodeWith(func(v any) ([]byte, error) { return v.(msgp.Marshaler).MarshalMsg(nil) }),
		Append: s.appendWith(func(b []byte, v any) ([]byte, error) { return v.(msgp.Marshaler).MarshalMsg(b) }),
		Decode: s.decodeWith(unmarshalMsgp),
		Reuse:  s.reuseWith(unmarshalMsgp),
		Skip: s.skipWith(func(b []byte) bool {
			rest, err := msgp.Skip(b)
			return err == nil && len(rest) == 0
		}),
	})
}

func unmarshalMsgp(b []byte, v any) error {
	_, err := v.(msgp.Unmarshaler).UnmarshalMsg(b)
	return err
}

func bindMsgpack(w *data.Workload) (*Operations, error) {
	s := newState(w.Value, w.Fresh)
	enc := msgpack.NewEncoder(io.Discard)
	dec := msgpack.NewDecoder(nil)
	in := new(bytes.Reader)
	return s.operations(map[Direction]func() error{
		Encode: s.encodeWith(msgpack.Marshal),
		Append: s.bufferWith(func(b *bytes.Buffer, v any) error {
			enc.Reset(b)
			return enc.Encode(v)
		}),
		Decode: s.decodeWith(func(b []byte, v any) error { return msgpack.Unmarshal(b, v) }),
		Reuse:  s.reuseWith(func(b []byte, v any) error { return msgpack.Unmarshal(b, v) }),
		Skip: s.skipWith(func(b []byte) bool {
			in.Reset(b)
			dec.Reset(in)
			return dec.Skip() == nil && in.Len() == 0
		}),
	})
}
