package sofab

import "github.com/sofab-go/sofab/stream"

// A Feeder decodes a message that arrives in chunks of any size. What it decodes, and
// what it reports at which byte, does not depend on how the message was cut. It is not
// safe for concurrent use.
type Feeder struct {
	codec *Codec
	v     any
	d     decodeState
	fed   int64
	err   error // final, or nil

	stop stop   // at which path was made
	path string // for the error of a message that goes on
}

// A stop is a place at which a message may be suspended. Two stops that are equal have
// the same path.
type stop struct {
	headAt int64 // of the field at hand
	depth  int
	inside bool // the header of that field is read
}

// NewFeeder returns a Feeder into the value that v points to, which is reset to its
// defaults. The errors are those of [Unmarshal] for v and its type.
func NewFeeder(v any) (*Feeder, error) { return std.NewFeeder(v) }

// NewFeeder is the function [NewFeeder] with the options of the codec.
func (c *Codec) NewFeeder(v any) (*Feeder, error) {
	f := &Feeder{codec: c, v: v}
	if err := f.restart(); err != nil {
		return nil, err
	}
	return f, nil
}

func (f *Feeder) restart() error {
	f.fed, f.err, f.stop = 0, nil, stop{}
	f.d.forget()
	f.d.p.ResetChunks()
	t, p, err := f.codec.destination(f.v)
	if err == nil {
		f.d.into(t, p, &f.codec.settings)
	}
	return err
}

// Reset starts the next message, into the same value.
func (f *Feeder) Reset() {
	if err := f.restart(); err != nil {
		f.err = err
	}
}

// Feed decodes the next chunk. It returns nil when the message may end here, and
// [ErrIncomplete] when it cannot, which is no failure: feed more. Anything else is
// final, and every later call returns it again until Reset. The chunk is only borrowed;
// it may be overwritten as soon as Feed returns.
func (f *Feeder) Feed(chunk []byte) error {
	if f.err != nil {
		return f.err
	}
	limit := f.codec.settings.limits.Message
	within := chunk[:min(int64(len(chunk)), limit-f.fed)]
	f.fed += int64(len(within))
	f.d.p.Feed(within)
	err := f.run()
	f.d.p.Release()
	if len(within) < len(chunk) && f.err == nil {
		f.err = f.d.messageOverLimit()
		return f.err
	}
	return err
}

func (f *Feeder) run() error {
	for {
		if f.d.run() == stream.Failed {
			f.err = f.d.failure()
			return f.err
		}
		if more, _ := f.d.p.Fetch(); more {
			continue
		}
		if !f.d.p.Complete() {
			return f.incomplete()
		}
		err := f.d.soFar()
		f.err = f.d.fault
		return err
	}
}

// incomplete is the error of a message that goes on. Its path is kept for as long as
// chunks end in the same field.
func (f *Feeder) incomplete() error {
	at := stop{headAt: f.d.headAt, depth: len(f.d.frames), inside: f.d.step != atHeader}
	if at != f.stop {
		f.stop, f.path = at, f.d.path()
	}
	return &SyntaxError{Offset: f.d.p.InputEnd(), Path: f.path, Err: ErrIncomplete}
}
