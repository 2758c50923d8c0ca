package peers

import (
	"bytes"
	"encoding/json"

	"github.com/bytedance/sonic"
	"github.com/bytedance/sonic/encoder"
	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/sofab-go/sofab/bench/data"
)

func bindJSON(w *data.Workload) (*Operations, error) {
	s := newState(w.Value, w.Fresh)
	enc := json.NewEncoder(&s.buffer)
	return s.operations(map[Direction]func() error{
		Encode: s.encodeWith(json.Marshal),
		Append: s.bufferWith(func(_ *bytes.Buffer, v any) error { return enc.Encode(v) }),
		Decode: s.decodeWith(json.Unmarshal),
		Reuse:  s.reuseWith(json.Unmarshal),
		Skip:   s.skipWith(json.Valid),
	})
}

func bindJSONv2(w *data.Workload) (*Operations, error) {
	s := newState(w.Value, w.Fresh)
	return s.operations(map[Direction]func() error{
		Encode: s.encodeWith(func(v any) ([]byte, error) { return jsonv2.Marshal(v) }),
		Append: s.bufferWith(func(b *bytes.Buffer, v any) error { return jsonv2.MarshalWrite(b, v) }),
		Decode: s.decodeWith(func(b []byte, v any) error { return jsonv2.Unmarshal(b, v) }),
		Reuse:  s.reuseWith(func(b []byte, v any) error { return jsonv2.Unmarshal(b, v) }),
		Skip:   s.skipWith(func(b []byte) bool { return jsontext.Value(b).IsValid() }),
	})
}

func bindSonic(w *data.Workload) (*Operations, error) {
	s := newState(w.Value, w.Fresh)
	text := ""
	ops, err := s.operations(map[Direction]func() error{
		Encode: s.encodeWith(sonic.ConfigDefault.Marshal),
		Append: s.appendWith(func(b []byte, v any) ([]byte, error) {
			err := encoder.EncodeInto(&b, v, 0)
			return b, err
		}),
		Decode: s.decodeWith(sonic.ConfigDefault.Unmarshal),
		Reuse:  s.reuseWith(func(_ []byte, v any) error { return sonic.ConfigDefault.UnmarshalFromString(text, v) }),
		Skip:   s.skipWith(sonic.ConfigDefault.Valid),
	})
	if err == nil {
		text = string(ops.Wire)
	}
	return ops, err
}
