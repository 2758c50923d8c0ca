package sofab_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"testing"

	"github.com/sofab-go/sofab"
	"github.com/sofab-go/sofab/stream"
)

// BenchmarkEncoder encodes to a writer that takes everything.
func BenchmarkEncoder(b *testing.B) {
	benchmark(b, func(b *testing.B, w workload) {
		enc := sofab.NewEncoder(io.Discard)
		for b.Loop() {
			if err := enc.Encode(w.value); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkDecoder decodes the same message over and over, from a reader that always
// has more.
func BenchmarkDecoder(b *testing.B) {
	benchmark(b, func(b *testing.B, w workload) {
		dec := sofab.NewDecoder(&endless{piece: terminated(b, w.value)})
		for b.Loop() {
			if err := dec.Decode(w.fresh()); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkPipe sends a message through net.Pipe and waits for the same message to come
// back.
func BenchmarkPipe(b *testing.B) {
	benchmark(b, func(b *testing.B, w workload) {
		near, far := net.Pipe()
		defer near.Close()
		go func() {
			defer far.Close()
			dec, enc := sofab.NewDecoder(far), sofab.NewEncoder(far)
			for {
				v := w.fresh()
				if err := errors.Join(dec.Decode(v), enc.Encode(v)); err != nil {
					return
				}
			}
		}()
		dec, enc := sofab.NewDecoder(near), sofab.NewEncoder(near)
		for b.Loop() {
			if err := enc.Encode(w.value); err != nil {
				b.Fatal(err)
			}
			if err := dec.Decode(w.fresh()); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkFeeder compares chunks with the whole message at once.
func BenchmarkFeeder(b *testing.B) {
	for _, size := range []int{1, 64, 4096, 0} {
		name := fmt.Sprint(size)
		if size == 0 {
			name = "one-shot"
		}
		b.Run(name, func(b *testing.B) {
			benchmark(b, func(b *testing.B, w workload) {
				data := mustMarshal(b, w.value)
				chunks := slices.Collect(slices.Chunk(data, max(size, 1)))
				v := w.fresh()
				f, err := sofab.NewFeeder(v)
				if err != nil {
					b.Fatal(err)
				}
				for b.Loop() {
					if size == 0 {
						err = sofab.Unmarshal(data, v)
					} else {
						f.Reset()
						for _, chunk := range chunks {
							err = f.Feed(chunk)
						}
					}
					if err != nil {
						b.Fatal(err)
					}
				}
			})
		})
	}
}

// BenchmarkSkip skips whole messages on a stream.
func BenchmarkSkip(b *testing.B) {
	benchmark(b, func(b *testing.B, w workload) {
		dec := sofab.NewDecoder(&endless{piece: terminated(b, w.value)})
		for b.Loop() {
			if err := dec.Skip(); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkBlob moves a blob of 1 MB: at once, and through a buffer of 4096 bytes.
func BenchmarkBlob(b *testing.B) {
	value := blob{bytes.Repeat([]byte("sofab"), 200_000)}
	data := mustMarshal(b, &value)
	for _, bm := range []struct {
		name string
		run  func() error
	}{
		{"encode/one-shot", func() error {
			_, err := sofab.Marshal(&value)
			return err
		}},
		{"encode/writer", func() error { return sofab.MarshalWrite(io.Discard, &value) }},
		{"encode/4096", func() error {
			enc, err := stream.NewBufferEncoder(make([]byte, 4096), 0, func(*stream.Encoder, []byte) error { return nil })
			if err != nil {
				return err
			}
			return errors.Join(enc.Blob(1, value.Data), enc.Flush())
		}},
		{"decode/one-shot", func() error { return sofab.Unmarshal(data, new(blob)) }},
		{"decode/4096", func() error { return sofab.UnmarshalRead(bytes.NewReader(data), new(blob)) }},
	} {
		b.Run(bm.name, func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			for b.Loop() {
				if err := bm.run(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
