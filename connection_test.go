package sofab_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/sofab-go/sofab"
)

type request struct {
	Seq  uint64 `sofab:"1"`
	Text string `sofab:"2"`
}

type reply struct {
	Seq    uint64   `sofab:"1"`
	Length uint32   `sofab:"2"`
	Echo   string   `sofab:"3"`
	Parts  []string `sofab:"4"`
}

func replyTo(r request) reply {
	return reply{Seq: r.Seq, Length: uint32(len(r.Text)), Echo: r.Text, Parts: []string{"", r.Text, ""}}
}

// serve answers requests until the peer is done.
func serve(codec *sofab.Codec, r io.Reader, w io.Writer) error {
	dec, enc := codec.NewDecoder(r), codec.NewEncoder(w)
	for {
		var q request
		if err := dec.Decode(&q); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		if err := enc.Encode(replyTo(q)); err != nil {
			return err
		}
	}
}

// converse sends requests and waits for the reply to each before it sends the next.
func converse(codec *sofab.Codec, r io.Reader, w io.Writer) error {
	dec, enc := codec.NewDecoder(r), codec.NewEncoder(w)
	for i, size := range []int{5, 0, 100, 4095, 4096, 70_000, 1} {
		// The second one is the empty message: Seq 0 and no text.
		q := request{Seq: uint64(i * 7 % 6), Text: string(bytes.Repeat([]byte{'x'}, size))}
		if i == 1 {
			q = request{}
		}
		if err := enc.Encode(&q); err != nil {
			return err
		}
		var got reply
		if err := dec.Decode(&got); err != nil {
			return err
		}
		if diff := cmp.Diff(replyTo(q), got); diff != "" {
			return fmt.Errorf("reply %d (-want +got):\n%s", i, diff)
		}
	}
	return nil
}

// within fails the test when f takes longer than a minute, which means for ever.
func within(t *testing.T, f func() error) {
	t.Helper()
	done := make(chan error, 1)
	go func() { done <- f() }()
	select {
	case err := <-done:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(time.Minute):
		t.Fatal("hangs")
	}
}

// TestConversation lets two sides talk in turn: none may wait for a byte that it does
// not need, because the other side only sends when it has got an answer.
func TestConversation(t *testing.T) {
	for _, framing := range []sofab.Framing{sofab.Terminated, sofab.LengthPrefixed} {
		codec := newCodec(sofab.Options{Framing: framing})
		talk := func(t *testing.T, client, server io.ReadWriteCloser) {
			served := make(chan error, 1)
			go func() { served <- serve(codec, server, server) }()
			within(t, func() error {
				defer client.Close()
				return converse(codec, client, client)
			})
			within(t, func() error { return <-served })
		}
		t.Run(fmt.Sprintf("net.Pipe/%d", framing), func(t *testing.T) {
			client, server := net.Pipe()
			talk(t, client, server)
		})
		t.Run(fmt.Sprintf("TCP/%d", framing), func(t *testing.T) {
			client, server := loopback(t)
			talk(t, client, server)
		})
		t.Run(fmt.Sprintf("os.Pipe/%d", framing), func(t *testing.T) {
			up, down := osPipe(t), osPipe(t)
			talk(t, pipePair{down.r, up.w}, pipePair{up.r, down.w})
		})
	}
}

type pipePair struct {
	*os.File
	w *os.File
}

func (p pipePair) Write(b []byte) (int, error) { return p.w.Write(b) }
func (p pipePair) Close() error                { return p.w.Close() }

type filePipe struct{ r, w *os.File }

func osPipe(t *testing.T) filePipe {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close(); w.Close() })
	return filePipe{r, w}
}

func loopback(t *testing.T) (client, server net.Conn) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Skip("no loopback network: ", err)
	}
	defer l.Close()
	if client, err = net.Dial("tcp", l.Addr().String()); err != nil {
		t.Fatal(err)
	}
	if server, err = l.Accept(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { client.Close(); server.Close() })
	return client, server
}

// TestNewDecoderOnSilentConnection: a peer that waits for us to speak first gets us to
// speak.
func TestNewDecoderOnSilentConnection(t *testing.T) {
	client, server := net.Pipe()
	defer client.Close()
	defer server.Close()
	within(t, func() error {
		sofab.NewDecoder(client)
		return nil
	})
}

func TestDecodeUnderDeadlines(t *testing.T) {
	client, server := net.Pipe()
	defer client.Close()
	defer server.Close()
	dec := sofab.NewDecoder(client)
	message := terminated(t, request{Seq: 300, Text: "hello"})

	expire := func(v any) {
		t.Helper()
		client.SetReadDeadline(time.Now().Add(10 * time.Millisecond))
		err := dec.Decode(v)
		var timeout net.Error
		if !errors.Is(err, os.ErrDeadlineExceeded) || !errors.As(err, &timeout) || !timeout.Timeout() {
			t.Fatalf("Decode under a deadline: %v", err)
		}
		if _, ok := err.(net.Error); !ok {
			t.Errorf("the error of the connection is wrapped: %T", err)
		}
		client.SetReadDeadline(time.Time{})
	}
	kept := request{Seq: 9}
	expire(&kept)
	if kept != (request{Seq: 9}) {
		t.Errorf("the value was touched before a message came: %+v", kept)
	}
	// Nothing was consumed, so that any value will do.
	var other request
	go server.Write(message)
	if err := dec.Decode(&other); err != nil || other != (request{300, "hello"}) {
		t.Fatalf("after a deadline: %+v, %v", other, err)
	}
}

func terminated(t testing.TB, values ...any) []byte {
	t.Helper()
	var b bytes.Buffer
	enc := sofab.NewEncoder(&b)
	for _, v := range values {
		if err := enc.Encode(v); err != nil {
			t.Fatal(err)
		}
	}
	return b.Bytes()
}

func TestGzip(t *testing.T) {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	enc := sofab.NewEncoder(z)
	var want []request
	for i := range 50 {
		r := request{Seq: uint64(i), Text: string(bytes.Repeat([]byte("ab"), 1000*(i%4)))}
		want = append(want, r)
		if err := enc.Encode(&r); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	unzipped, err := gzip.NewReader(&b)
	if err != nil {
		t.Fatal(err)
	}
	var got []request
	dec := sofab.NewDecoder(unzipped)
	for dec.More() {
		var r request
		if err := dec.Decode(&r); err != nil {
			t.Fatal(err)
		}
		got = append(got, r)
	}
	if err := dec.Decode(new(request)); err != io.EOF {
		t.Errorf("at the end: %v", err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestHTTPKeepsItsConnection: a body that is read up to its end lets the connection be
// used again.
func TestHTTPKeepsItsConnection(t *testing.T) {
	for _, streamed := range []bool{false, true} {
		var connections atomic.Int32
		handler := func(w http.ResponseWriter, r *http.Request) {
			var q request
			read, write := sofab.UnmarshalRead, sofab.MarshalWrite
			if streamed {
				read = readOne
				write = func(w io.Writer, v any) error { return sofab.NewEncoder(w).Encode(v) }
			}
			if err := read(r.Body, &q); err != nil {
				http.Error(w, err.Error(), http.StatusBadRequest)
				return
			}
			if err := write(w, replyTo(q)); err != nil {
				t.Error(err)
			}
		}
		server := httptest.NewUnstartedServer(http.HandlerFunc(handler))
		server.Config.ConnState = func(_ net.Conn, s http.ConnState) {
			if s == http.StateNew {
				connections.Add(1)
			}
		}
		server.Start()
		for i := range 100 {
			q := request{Seq: uint64(i), Text: "hello"}
			var body bytes.Buffer
			var err error
			if streamed {
				err = sofab.NewEncoder(&body).Encode(q)
			} else {
				err = sofab.MarshalWrite(&body, q)
			}
			if err != nil {
				t.Fatal(err)
			}
			response, err := server.Client().Post(server.URL, "application/octet-stream", &body)
			if err != nil {
				t.Fatal(err)
			}
			var got reply
			if streamed {
				err = readOne(response.Body, &got)
			} else {
				err = sofab.UnmarshalRead(response.Body, &got)
			}
			response.Body.Close()
			if err != nil || !cmp.Equal(got, replyTo(q)) {
				t.Fatalf("request %d: %+v, %v", i, got, err)
			}
		}
		server.Close()
		if n := connections.Load(); n != 1 {
			t.Errorf("streamed %t: %d connections for 100 requests", streamed, n)
		}
	}
}

// readOne reads the one message of a body, and its end.
func readOne(r io.Reader, v any) error {
	dec := sofab.NewDecoder(r)
	if err := dec.Decode(v); err != nil {
		return err
	}
	if dec.More() {
		return errors.New("more than one message")
	}
	return nil
}
