package peers

import (
	"github.com/sofab-go/sofab"
	"github.com/sofab-go/sofab/bench/byhand"
	"github.com/sofab-go/sofab/bench/data"
)

func bindSofab(w *data.Workload) (*Operations, error) {
	codec, err := sofab.Options{Alias: true, Reuse: true}.Codec()
	if err != nil {
		return nil, err
	}
	s := newState(w.Value, w.Fresh)
	return s.operations(map[Direction]func() error{
		Encode: s.encodeWith(sofab.Marshal),
		Append: s.appendWith(sofab.MarshalAppend),
		Decode: s.decodeWith(sofab.Unmarshal),
		Reuse:  s.reuseWith(codec.Unmarshal),
		Skip:   s.skipWith(sofab.Valid),
	})
}

// bindByHand has no generic code: which functions serve a workload is a matter of its type.
func bindByHand(w *data.Workload) (*Operations, error) {
	switch v := w.Value.(type) {
	case *data.Full:
		return byHand(w, v, byhand.AppendFull, byhand.DecodeFull)
	case *data.Typical:
		return byHand(w, v, byhand.AppendTypical, byhand.DecodeTypical)
	case *data.Perf12:
		return byHand(w, v, byhand.AppendPerf12, byhand.DecodePerf12)
	case *data.Integers:
		return byHand(w, v, byhand.AppendIntegers, byhand.DecodeIntegers)
	case *data.Composite:
		return byHand(w, v, byhand.AppendComposite, byhand.DecodeComposite)
	case *data.Small:
		return byHand(w, v, byhand.AppendSmall, byhand.DecodeSmall)
	case *data.Book:
		return byHand(w, v, byhand.AppendBook, byhand.DecodeBook)
	case *data.Blob:
		return byHand(w, v, byhand.AppendBlob, byhand.DecodeBlob)
	}
	return nil, nil
}

func byHand[T any](w *data.Workload, source *T, appendTo func([]byte, *T) ([]byte, error), decode func([]byte, *T) error) (*Operations, error) {
	s := newState(source, w.Fresh)
	return s.operations(map[Direction]func() error{
		Encode: func() (err error) {
			s.encoded, err = appendTo(make([]byte, 0, w.Size), source)
			return err
		},
		Append: func() error {
			b, err := appendTo(s.appendBuffer[:0], source)
			if err == nil {
				s.appendBuffer = b
			}
			return err
		},
		Decode: func() error {
			v := new(T)
			s.decoded = v
			return decode(s.wire, v)
		},
	})
}

// bindMemcpy copies what the blob holds.
func bindMemcpy(w *data.Workload) (*Operations, error) {
	blob, ok := w.Value.(*data.Blob)
	if !ok {
		return nil, nil
	}
	s := newState(blob, w.Fresh)
	s.appendBuffer = make([]byte, len(blob.Data))
	clone := func(v []byte) []byte { return append([]byte(nil), v...) }
	return s.operations(map[Direction]func() error{
		Encode: func() error { s.encoded = clone(blob.Data); return nil },
		Append: func() error { copy(s.appendBuffer, blob.Data); return nil },
		Decode: func() error { s.decoded = &data.Blob{Data: clone(s.wire)}; return nil },
	})
}
