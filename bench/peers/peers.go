// Package peers has the contenders of the benchmarks: what each of them does to
// encode and decode one workload.
package peers

import (
	"bytes"
	"fmt"

	"github.com/sofab-go/sofab/bench/data"
)

// A Contender encodes and decodes messages.
type Contender struct {
	Name string
	// Note says in which form it takes part.
	Note string
	// Bind prepares it for a workload; nil means that it does not take part.
	Bind func(w *data.Workload) (*Operations, error)
}

// A Direction is one kind of work.
type Direction string

// The directions, in the order in which they are printed.
const (
	Encode Direction = "enc"    // into a fresh result
	Append Direction = "append" // into a reused buffer
	Decode Direction = "dec"    // into a fresh destination, with default options
	Reuse  Direction = "reuse"  // into a reused destination that may share the input
	Skip   Direction = "skip"   // walk the message and keep nothing
)

// Directions are all of them.
var Directions = []Direction{Encode, Append, Decode, Reuse, Skip}

// Operations are what one contender does with one workload. A nil one is not offered.
type Operations struct {
	Wire []byte // the message in the format of the contender
	Run  map[Direction]func() error

	// For the test: the value that the last run of a direction decoded, in the types
	// of package data, and the message that it encoded.
	Decoded func(Direction) (any, error)
	Encoded func(Direction) []byte
}

// All are the contenders, ours first.
var All = []Contender{
	{"sofab", "defaults; reuse is Options Alias and Reuse", bindSofab},
	{"hand-written", "the same bytes by straight-line code, see byhand; encodes into a buffer of the right size", bindByHand},
	{"protobuf-go", "proto.Marshal of generated code; reuse is the same message again", bindProtobuf},
	{"vtprotobuf", "MarshalVT, UnmarshalVT; no UTF-8 check; reuse is UnmarshalVTUnsafe into the same message", bindVTProtobuf},
	{"msgp", "generated, keyed by number; no UTF-8 check", bindMsgp},
	{"msgpack", "vmihailenco/msgpack, keyed by number", bindMsgpack},
	{"cbor", "fxamacker/cbor, integer keys", bindCBOR},
	{"gob", "append and reuse send the types once, the others every time", bindGob},
	{"sonic", "JSON, ConfigDefault; no UTF-8 check", bindSonic},
	{"json v2", "go-json-experiment/json", bindJSONv2},
	{"encoding/json", "", bindJSON},
	{"memcpy", "copies the message, the bound of the blob", bindMemcpy},
}

// Find is the contender of that name, or nil.
func Find(name string) *Contender {
	for i := range All {
		if All[i].Name == name {
			return &All[i]
		}
	}
	return nil
}

// state is what the operations of most contenders work on.
type state struct {
	source       any // what is encoded
	fresh        func() any
	encoded      []byte
	buffer       bytes.Buffer
	decoded      any
	reused       any
	wire         []byte
	appendBuffer []byte
}

func newState(source any, fresh func() any) *state {
	return &state{source: source, fresh: fresh, reused: fresh()}
}

// encodeWith is an operation that keeps the fresh result of f.
func (s *state) encodeWith(f func(any) ([]byte, error)) func() error {
	return func() (err error) {
		s.encoded, err = f(s.source)
		return err
	}
}

// appendWith is an operation that appends to a buffer that it keeps.
func (s *state) appendWith(f func([]byte, any) ([]byte, error)) func() error {
	return func() error {
		b, err := f(s.appendBuffer[:0], s.source)
		if err == nil {
			s.appendBuffer = b
		}
		return err
	}
}

// bufferWith is an operation that writes to a bytes.Buffer that it keeps.
func (s *state) bufferWith(f func(*bytes.Buffer, any) error) func() error {
	return func() error {
		s.buffer.Reset()
		return f(&s.buffer, s.source)
	}
}

// decodeWith is an operation that decodes into a fresh destination.
func (s *state) decodeWith(f func([]byte, any) error) func() error {
	return func() error {
		v := s.fresh()
		s.decoded = v
		return f(s.wire, v)
	}
}

// reuseWith is an operation that decodes into one and the same destination.
func (s *state) reuseWith(f func([]byte, any) error) func() error {
	return func() error { return f(s.wire, s.reused) }
}

// skipWith is an operation that walks the message.
func (s *state) skipWith(valid func([]byte) bool) func() error {
	return func() error {
		if !valid(s.wire) {
			return fmt.Errorf("%d bytes are not a valid message", len(s.wire))
		}
		return nil
	}
}

// operations are those of run, after a first encoding that gives the message.
func (s *state) operations(run map[Direction]func() error) (*Operations, error) {
	if err := run[Encode](); err != nil {
		return nil, err
	}
	s.wire = s.encoded
	return &Operations{
		Wire: s.wire,
		Run:  run,
		Encoded: func(d Direction) []byte {
			switch {
			case d == Encode:
				return s.encoded
			case s.appendBuffer != nil:
				return s.appendBuffer
			}
			return s.buffer.Bytes()
		},
		Decoded: func(d Direction) (any, error) {
			if d == Decode {
				return s.decoded, nil
			}
			return s.reused, nil
		},
	}, nil
}
