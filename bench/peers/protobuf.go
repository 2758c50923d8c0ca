package peers

import (
	"errors"
	"fmt"
	"slices"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"github.com/sofab-go/sofab/bench/data"
	"github.com/sofab-go/sofab/bench/pb"
)

// A message is one that protoc-gen-go and protoc-gen-go-vtproto have generated.
type message interface {
	proto.Message
	Reset()
	MarshalVT() ([]byte, error)
	MarshalToSizedBufferVT([]byte) (int, error)
	SizeVT() int
	UnmarshalVT([]byte) error
	UnmarshalVTUnsafe([]byte) error
}

// newMessage gives the message type that stands for the type of a workload.
func newMessage(w *data.Workload) (func() any, error) {
	switch w.Value.(type) {
	case *data.Full:
		return func() any { return new(pb.Full) }, nil
	case *data.Typical:
		return func() any { return new(pb.Typical) }, nil
	case *data.Perf12:
		return func() any { return new(pb.Perf12) }, nil
	case *data.Integers:
		return func() any { return new(pb.Integers) }, nil
	case *data.Composite:
		return func() any { return new(pb.Composite) }, nil
	case *data.Small:
		return func() any { return new(pb.Small) }, nil
	case *data.Book:
		return func() any { return new(pb.Book) }, nil
	case *data.Wide:
		return func() any { return new(pb.Wide) }, nil
	case *data.Blob:
		return func() any { return new(pb.Blob) }, nil
	}
	return nil, fmt.Errorf("no protobuf message for %T", w.Value)
}

func bindProtobuf(w *data.Workload) (*Operations, error) {
	return bindMessage(w, func(s *state) map[Direction]func() error {
		return map[Direction]func() error{
			Encode: s.encodeWith(func(v any) ([]byte, error) { return proto.Marshal(v.(message)) }),
			Append: s.appendWith(func(b []byte, v any) ([]byte, error) {
				return proto.MarshalOptions{}.MarshalAppend(b, v.(message))
			}),
			Decode: s.decodeWith(unmarshalProto),
			Reuse:  s.reuseWith(unmarshalProto),
			Skip:   s.skipWith(validProto),
		}
	})
}

func unmarshalProto(b []byte, v any) error { return proto.Unmarshal(b, v.(message)) }

// validProto walks the fields of the message; nothing says which of its strings of
// bytes are messages in turn.
func validProto(b []byte) bool {
	for len(b) > 0 {
		_, _, n := protowire.ConsumeField(b)
		if n < 0 {
			return false
		}
		b = b[n:]
	}
	return true
}

func bindVTProtobuf(w *data.Workload) (*Operations, error) {
	return bindMessage(w, func(s *state) map[Direction]func() error {
		return map[Direction]func() error{
			Encode: s.encodeWith(func(v any) ([]byte, error) { return v.(message).MarshalVT() }),
			Append: s.appendWith(appendVT),
			Decode: s.decodeWith(func(b []byte, v any) error { return v.(message).UnmarshalVT(b) }),
			Reuse: s.reuseWith(func(b []byte, v any) error {
				m := v.(message)
				m.Reset()
				return m.UnmarshalVTUnsafe(b)
			}),
		}
	})
}

func appendVT(b []byte, v any) ([]byte, error) {
	m := v.(message)
	n := m.SizeVT()
	b = slices.Grow(b, n)
	part := b[len(b) : len(b)+n]
	if wrote, err := m.MarshalToSizedBufferVT(part); err != nil || wrote != n {
		return nil, errors.Join(err, fmt.Errorf("wrote %d bytes of %d", wrote, n))
	}
	return b[:len(b)+n], nil
}

// bindMessage converts the value of a workload to its message and back for the test.
func bindMessage(w *data.Workload, run func(*state) map[Direction]func() error) (*Operations, error) {
	fresh, err := newMessage(w)
	if err != nil {
		return nil, err
	}
	source := fresh()
	if err := convert(source, w.Value); err != nil {
		return nil, err
	}
	s := newState(source, fresh)
	ops, err := s.operations(run(s))
	if err != nil {
		return nil, err
	}
	decoded := ops.Decoded
	ops.Decoded = func(d Direction) (any, error) {
		v, err := decoded(d)
		if err != nil {
			return nil, err
		}
		back := w.Fresh()
		return back, convert(back, v)
	}
	return ops, nil
}
