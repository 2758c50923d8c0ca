package main

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"os"
	"reflect"
	"runtime"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/sofab-go/sofab"
	"github.com/sofab-go/sofab/testdata"
)

// A codec is one way to turn the order book into bytes and back.
type codec struct {
	name      string
	marshal   func(any) ([]byte, error)
	unmarshal func([]byte, any) error
}

// The last one is what the others are compared with.
var codecs = []codec{
	{"sofab", sofab.Marshal, sofab.Unmarshal},
	{"encoding/json", json.Marshal, json.Unmarshal},
}

// cost is what one message took.
type cost struct {
	bytes                          int
	marshal, unmarshal             time.Duration // median over the rounds
	marshalAllocs, unmarshalAllocs uint64
	marshalRounds, unmarshalRounds []time.Duration
}

// loadBook reads the order book from a JSON file, or the one built in if name is empty.
func loadBook(name string) (book Book, source string, err error) {
	data, source := testdata.Orders, "the order book in testdata/orders.json"
	if name != "" {
		source = name
		if data, err = os.ReadFile(name); err != nil {
			return Book{}, "", fmt.Errorf("reading the order book: %w", err)
		}
	}
	if err := json.Unmarshal(data, &book); err != nil {
		return Book{}, "", fmt.Errorf("%s is not an order book: %w", source, err)
	}
	return book, source, nil
}

// demo sends book through every codec and prints the table. It returns an error
// as soon as something that arrived differs from what was sent.
func demo(w io.Writer, book Book, source string, rounds int, codecs []codec) error {
	items := 0
	for _, o := range book.Orders {
		items += len(o.Items)
	}
	fmt.Fprintf(w, "Reading %s: %d orders, %d items.\n", source, len(book.Orders), items)
	fmt.Fprintf(w, "Sending it as one message over a loopback connection, %d times per codec;\n", rounds)
	fmt.Fprintf(w, "the other end unmarshals each one and compares it with the original.\n\n")

	links := make([]*link, len(codecs))
	for i, c := range codecs {
		l, err := dial(c, &book)
		if err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
		defer l.close()
		links[i] = l
	}
	costs := make([]cost, len(codecs))
	for range rounds { // in turns, so that a slow moment of the machine hits all alike
		for i, l := range links {
			if err := l.send(&costs[i]); err != nil {
				return fmt.Errorf("%s: %w", l.codec.name, err)
			}
		}
	}
	for i, c := range codecs {
		if err := costs[i].finish(c, &book); err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
	}
	if err := printTable(w, codecs, costs); err != nil {
		return err
	}
	fmt.Fprintf(w, "\nEvery message that arrived equals the one that was sent.\n")
	return nil
}

// A link is a loopback connection with a receiver at its far end.
type link struct {
	codec   codec
	book    *Book
	conn    net.Conn
	results chan result
}

// result is what the receiver says about one message.
type result struct {
	unmarshal time.Duration
	err       error
}

func dial(c codec, book *Book) (*link, error) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	l := &link{codec: c, book: book, results: make(chan result, 1)}
	go l.receive(ln)
	if l.conn, err = net.Dial("tcp", ln.Addr().String()); err != nil {
		ln.Close() // or the receiver would wait for a connection
		return nil, err
	}
	return l, nil
}

// receive runs at the far end until the connection is closed or a message is wrong.
func (l *link) receive(ln net.Listener) {
	defer close(l.results)
	conn, err := ln.Accept()
	ln.Close()
	if err != nil {
		l.results <- result{err: err}
		return
	}
	defer conn.Close()
	for {
		data, err := readFrame(conn)
		if err == io.EOF {
			return
		}
		var r result
		if err == nil {
			r.unmarshal, err = l.check(data)
		}
		r.err = err
		l.results <- r
		if err != nil {
			return
		}
	}
}

func (l *link) check(data []byte) (time.Duration, error) {
	var got Book
	start := time.Now()
	err := l.codec.unmarshal(data, &got)
	took := time.Since(start)
	if err != nil {
		return 0, err
	}
	return took, diff(&got, l.book)
}

// send makes one message, sends it and waits for the receiver's answer.
func (l *link) send(c *cost) error {
	start := time.Now()
	data, err := l.codec.marshal(l.book)
	took := time.Since(start)
	if err != nil {
		return err
	}
	sent := writeFrame(l.conn, data)
	if sent != nil {
		l.conn.Close() // or the receiver would wait for the rest
	}
	r, ok := <-l.results
	if err := errors.Join(sent, r.err); err != nil {
		return err
	}
	if !ok {
		return errors.New("the receiver has gone")
	}
	c.bytes = len(data)
	c.marshalRounds = append(c.marshalRounds, took)
	c.unmarshalRounds = append(c.unmarshalRounds, r.unmarshal)
	return nil
}

func (l *link) close() { l.conn.Close() }

// A frame is a length of four bytes, big-endian, and that many bytes.
func writeFrame(w io.Writer, data []byte) error {
	if uint64(len(data)) > math.MaxUint32 {
		return fmt.Errorf("message of %d bytes does not fit a frame", len(data))
	}
	frame := binary.BigEndian.AppendUint32(make([]byte, 0, 4+len(data)), uint32(len(data)))
	_, err := w.Write(append(frame, data...))
	return err
}

func readFrame(r io.Reader) ([]byte, error) {
	var head [4]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return nil, err
	}
	data := make([]byte, binary.BigEndian.Uint32(head[:]))
	_, err := io.ReadFull(r, data)
	return data, err
}

// diff says where two order books differ, or returns nil.
func diff(got, want *Book) error {
	if reflect.DeepEqual(got, want) {
		return nil
	}
	if len(got.Orders) != len(want.Orders) {
		return fmt.Errorf("sent %d orders, %d arrived", len(want.Orders), len(got.Orders))
	}
	for i := range want.Orders {
		g, w := reflect.ValueOf(got.Orders[i]), reflect.ValueOf(want.Orders[i])
		for f := range w.NumField() {
			if !reflect.DeepEqual(g.Field(f).Interface(), w.Field(f).Interface()) {
				return fmt.Errorf("order %s arrived with another %s than was sent", want.Orders[i].Number, w.Type().Field(f).Name)
			}
		}
	}
	return errors.New("the book's own fields arrived changed")
}

// finish computes the medians and counts allocations, which nothing else must disturb.
func (c *cost) finish(by codec, book *Book) error {
	c.marshal, c.unmarshal = median(c.marshalRounds), median(c.unmarshalRounds)
	var data []byte
	var err1, err2 error
	c.marshalAllocs = allocs(func() { data, err1 = by.marshal(book) })
	c.unmarshalAllocs = allocs(func() { err2 = by.unmarshal(data, new(Book)) })
	return errors.Join(err1, err2)
}

func median(d []time.Duration) time.Duration {
	slices.Sort(d)
	return d[len(d)/2]
}

// allocs returns the least of three counts: the runtime now and then allocates on its own.
func allocs(f func()) uint64 {
	least := uint64(math.MaxUint64)
	for range 3 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		f()
		runtime.ReadMemStats(&after)
		least = min(least, after.Mallocs-before.Mallocs)
	}
	return least
}

func printTable(w io.Writer, codecs []codec, costs []cost) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(t, "per message\tbytes\tmarshal\tallocs\tunmarshal\tallocs\t\n")
	for i, c := range costs {
		fmt.Fprintf(t, "%s\t%d\t%s\t%d\t%s\t%d\t\n", codecs[i].name, c.bytes,
			micros(c.marshal), c.marshalAllocs, micros(c.unmarshal), c.unmarshalAllocs)
	}
	last := costs[len(costs)-1]
	for i, c := range costs[:len(costs)-1] {
		fmt.Fprintf(t, "%s ÷ %s\t%s\t%s\t%s\t%s\t%s\t\n", codecs[len(costs)-1].name, codecs[i].name,
			ratio(float64(last.bytes), float64(c.bytes)),
			ratio(float64(last.marshal), float64(c.marshal)),
			ratio(float64(last.marshalAllocs), float64(c.marshalAllocs)),
			ratio(float64(last.unmarshal), float64(c.unmarshal)),
			ratio(float64(last.unmarshalAllocs), float64(c.unmarshalAllocs)))
	}
	return t.Flush()
}

func micros(d time.Duration) string { return fmt.Sprintf("%.1f µs", float64(d)/1e3) }

func ratio(a, b float64) string {
	if b == 0 {
		return "–"
	}
	return fmt.Sprintf("%.1f×", a/b)
}
