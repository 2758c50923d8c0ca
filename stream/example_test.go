package stream_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"log"

	"github.com/sofab-go/sofab/stream"
	"github.com/sofab-go/sofab/wire"
)

// The fields of a reading: what one sensor saw, and where.
const (
	sensor   wire.ID = 0 // string, at most 16 bytes
	samples  wire.ID = 1 // array of i16
	position wire.ID = 2 // struct

	latitude  wire.ID = 0 // fp64
	longitude wire.ID = 1 // fp64
)

func writeReading(e *stream.Encoder) error {
	e.String(sensor, "roof/7")
	stream.WriteSigneds(e, samples, []int16{210, 214, -3})
	e.BeginSequence(position)
	e.Float64(latitude, 48.137)
	e.Float64(longitude, 11.575)
	e.EndSequence()
	return e.Err() // the first error sticks
}

func reading() []byte {
	e := stream.NewAppendEncoder(nil)
	if err := writeReading(e); err != nil {
		log.Fatal(err)
	}
	return e.Bytes()
}

// A Decoder is asked for one field after the other. What nobody reads is stepped over.
func ExampleDecoder() {
	d := stream.NewDecoder(bytes.NewReader(reading()))
	for {
		f, err := d.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			log.Fatal(err)
		}
		switch {
		case f.Type == wire.SequenceStart:
			fmt.Println("position")
		case f.Type == wire.SequenceEnd:
			fmt.Println("end at byte", d.InputOffset())
		case d.Depth() == 0 && f.ID == sensor:
			d.Bound(16)
			s, err := d.String()
			if err != nil {
				log.Fatal(err)
			}
			fmt.Println("sensor", s)
		case d.Depth() == 0 && f.ID == samples:
			v, err := stream.ReadSigneds[int16](d, nil, 16)
			if err != nil && err != stream.ErrMismatch {
				log.Fatal(err)
			}
			fmt.Println("samples", v)
		case f.ID == latitude:
			v, err := d.Float64()
			if err != nil {
				log.Fatal(err)
			}
			fmt.Println("latitude", v)
		}
	}
	// Output:
	// sensor roof/7
	// samples [210 214 -3]
	// position
	// latitude 48.137
	// end at byte 37
}

// A long payload is read in pieces, in memory that does not grow with it.
func ExampleDecoder_Chunk() {
	e := stream.NewAppendEncoder(nil)
	e.Blob(4, make([]byte, 100_000))

	d := stream.NewDecoder(bytes.NewReader(e.Bytes()))
	if _, err := d.Next(); err != nil {
		log.Fatal(err)
	}
	size := 0
	for {
		piece, err := d.Chunk()
		if err == io.EOF {
			break
		}
		if err != nil {
			log.Fatal(err)
		}
		size += len(piece)
	}
	fmt.Println(size, "bytes")
	// Output: 100000 bytes
}

// adder adds up the samples, in whatever runs they arrive, and declines the rest.
type adder struct {
	stream.Discard
	sum int64
}

func (a *adder) BeginArray(f stream.Field, _ wire.Subtype, _ int) stream.Take {
	return stream.Take{Want: f.ID == samples && f.Type == wire.SignedArray, Width: 16}
}

func (a *adder) Signeds(run []int64) error {
	for _, v := range run {
		a.sum += v
	}
	return nil
}

// A Feeder is given the message in chunks, as a serial line delivers it.
func ExampleFeeder() {
	var a adder
	f := stream.NewFeeder(&a)
	line := bytes.NewReader(reading())
	chunk := make([]byte, 5)
	var outcome error
	for {
		n, err := line.Read(chunk)
		if err == io.EOF {
			break
		}
		outcome = f.Feed(chunk[:n])
		if outcome != nil && outcome != stream.ErrIncomplete {
			log.Fatal(outcome)
		}
	}
	// Where a message ends is for the line to say: nil only means that it may end here.
	fmt.Println("complete:", outcome == nil, "sum:", a.sum)
	// Output: complete: true sum: 421
}

// Packets of at most 16 bytes leave an Encoder with room for a header in front: the sink
// fills it in, sends the packet and installs the buffer of the next one.
func ExampleNewBufferEncoder() {
	const header = 2
	packet := make([]byte, 16)
	send := func(e *stream.Encoder, body []byte) error {
		binary.BigEndian.PutUint16(packet, uint16(len(body)))
		fmt.Printf("% x\n", packet[:header+len(body)])
		packet = make([]byte, 16) // the last one may still be on its way
		return e.SetBuffer(packet, header)
	}
	e, err := stream.NewBufferEncoder(packet, header, send)
	if err != nil {
		log.Fatal(err)
	}
	if err := writeReading(e); err != nil {
		log.Fatal(err)
	}
	if err := e.Flush(); err != nil {
		log.Fatal(err)
	}
	// Output:
	// 00 0e 02 32 72 6f 6f 66 2f 37 0c 03 a4 03 ac 03
	// 00 0e 05 16 02 41 a8 c6 4b 37 89 11 48 40 0a 41
	// 00 09 66 66 66 66 66 26 27 40 07
}
