package sofab_test

import (
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/sofab-go/sofab"
)

// peerVariable names the environment variable that makes this test binary the other
// side of a connection: its role and the address to call.
const peerVariable = "SOFAB_TEST_PEER"

// peerRoles are what the other process does with the connection.
var peerRoles = map[string]func(conn net.Conn) error{
	"answer": func(conn net.Conn) error {
		codec, err := sofab.Options{}.Codec()
		if err != nil {
			return err
		}
		return serve(codec, conn, conn)
	},
	"send and receive at once": exchangeLarge,
	"answer compressed":        answerCompressed,
	"break off": func(conn net.Conn) error {
		message, err := sofab.Marshal(replyTo(request{Seq: 1, Text: "whole"}))
		if err != nil {
			return err
		}
		if _, err := conn.Write(append(append(message, 0x07), message[:len(message)/2]...)); err != nil {
			return err
		}
		self, err := os.FindProcess(os.Getpid())
		if err != nil {
			return err
		}
		return self.Kill()
	},
}

// TestPeerProcess is the other process of the tests below.
func TestPeerProcess(t *testing.T) {
	role, address, ok := strings.Cut(os.Getenv(peerVariable), "@")
	if !ok {
		t.Skip("it is started by other tests")
	}
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := peerRoles[role](conn); err != nil {
		t.Fatal(err)
	}
}

// peerProcess starts another process in a role. It returns the connection to it, and a
// function that waits for its end and returns its output where it has failed.
func peerProcess(t *testing.T, role string) (conn net.Conn, wait func() error) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Skipf("no loopback: %v", err)
	}
	defer l.Close()
	cmd := exec.Command(os.Args[0], "-test.run=^TestPeerProcess$")
	cmd.Env = append(os.Environ(), peerVariable+"="+role+"@"+l.Addr().String())
	var output strings.Builder
	cmd.Stdout, cmd.Stderr = &output, &output
	if err := cmd.Start(); err != nil {
		t.Skipf("no second process: %v", err)
	}
	ended := make(chan error, 1)
	go func() {
		err := cmd.Wait()
		l.Close() // nobody will call any more
		ended <- err
	}()
	if conn, err = l.Accept(); err != nil {
		t.Fatalf("the process did not call: %v\n%s", <-ended, output.String())
	}
	t.Cleanup(func() { conn.Close() })
	return conn, func() error {
		if err := <-ended; err != nil {
			return fmt.Errorf("%w\n%s", err, output.String())
		}
		return nil
	}
}

// TestTwoProcessesTalk lets two processes talk in turn, then sends many requests before
// the first reply is read.
func TestTwoProcessesTalk(t *testing.T) {
	conn, wait := peerProcess(t, "answer")
	within(t, func() error {
		codec, err := sofab.Options{}.Codec()
		if err != nil {
			return err
		}
		if err := converse(codec, conn, conn); err != nil {
			return err
		}
		const pipelined = 200
		enc, dec := codec.NewEncoder(conn), codec.NewDecoder(conn)
		for i := range pipelined {
			if err := enc.Encode(request{Seq: uint64(i), Text: strings.Repeat("ü", i)}); err != nil {
				return err
			}
		}
		for i := range pipelined {
			var got reply
			if err := dec.Decode(&got); err != nil {
				return err
			}
			if diff := cmp.Diff(replyTo(request{Seq: uint64(i), Text: strings.Repeat("ü", i)}), got); diff != "" {
				return fmt.Errorf("reply %d (-want +got):\n%s", i, diff)
			}
		}
		return nil
	})
	within(t, func() error {
		if err := conn.(*net.TCPConn).CloseWrite(); err != nil {
			return err
		}
		if err := sofab.NewDecoder(conn).Decode(new(reply)); err != io.EOF {
			return fmt.Errorf("the end of the conversation is %v", err)
		}
		return wait()
	})
}

// largeMessage is a message that is larger than what two sockets hold.
func largeMessage(seq int) *reply {
	r := &reply{Seq: uint64(seq), Parts: make([]string, 300)}
	for i := range r.Parts {
		r.Parts[i] = strings.Repeat(string(rune('a'+(seq+i)%26)), 10_000)
	}
	return r
}

// exchangeLarge sends large messages while it receives the same ones.
func exchangeLarge(conn net.Conn) error {
	const messages = 4
	sent := make(chan error, 1)
	go func() {
		enc := sofab.NewEncoder(conn)
		for i := range messages {
			if err := enc.Encode(largeMessage(i)); err != nil {
				sent <- err
				return
			}
		}
		sent <- nil
	}()
	dec := sofab.NewDecoder(conn)
	var got reply
	for i := range messages {
		if err := dec.Decode(&got); err != nil {
			return err
		}
		if !cmp.Equal(largeMessage(i), &got) {
			return fmt.Errorf("message %d arrived changed", i)
		}
	}
	return <-sent
}

func TestTwoProcessesSendAtOnce(t *testing.T) {
	conn, wait := peerProcess(t, "send and receive at once")
	within(t, func() error { return exchangeLarge(conn) })
	within(t, wait)
}

// answerCompressed is serve over gzip in both directions.
func answerCompressed(conn net.Conn) error {
	in, err := gzip.NewReader(conn)
	if err != nil {
		return err
	}
	codec, err := sofab.Options{}.Codec()
	if err != nil {
		return err
	}
	return serve(codec, in, flushing{gzip.NewWriter(conn)})
}

// flushing sends what was compressed at once.
type flushing struct{ *gzip.Writer }

func (w flushing) Write(b []byte) (int, error) {
	n, err := w.Writer.Write(b)
	if err == nil {
		err = w.Flush()
	}
	return n, err
}

// lateGzip is a gzip reader that reads its header when it is first needed.
type lateGzip struct {
	conn net.Conn
	r    *gzip.Reader
}

func (g *lateGzip) Read(b []byte) (n int, err error) {
	if g.r == nil {
		if g.r, err = gzip.NewReader(g.conn); err != nil {
			return 0, err
		}
	}
	return g.r.Read(b)
}

func TestTwoProcessesCompressed(t *testing.T) {
	conn, wait := peerProcess(t, "answer compressed")
	codec, err := sofab.Options{}.Codec()
	if err != nil {
		t.Fatal(err)
	}
	out := flushing{gzip.NewWriter(conn)}
	within(t, func() error { return converse(codec, &lateGzip{conn: conn}, out) })
	within(t, func() error {
		if err := out.Close(); err != nil {
			return err
		}
		if err := conn.(*net.TCPConn).CloseWrite(); err != nil { // there may be another gzip member
			return err
		}
		return wait()
	})
}

// TestPeerProcessIsKilled: what was sent before counts, what was cut off is incomplete.
func TestPeerProcessIsKilled(t *testing.T) {
	conn, wait := peerProcess(t, "break off")
	within(t, func() error {
		dec := sofab.NewDecoder(conn)
		var got reply
		if err := dec.Decode(&got); err != nil {
			return err
		}
		if diff := cmp.Diff(replyTo(request{Seq: 1, Text: "whole"}), got); diff != "" {
			return fmt.Errorf("the message before (-want +got):\n%s", diff)
		}
		for range 2 {
			if err := dec.Decode(&got); !errors.Is(err, sofab.ErrIncomplete) || !errors.Is(err, io.ErrUnexpectedEOF) {
				return fmt.Errorf("the message that was cut off: %v", err)
			}
		}
		if err := wait(); err == nil {
			return errors.New("the peer ended by itself")
		}
		return nil
	})
}

// TestPeerProcessIsSlow: a deadline surfaces as it is, and the conversation goes on.
func TestPeerProcessIsSlow(t *testing.T) {
	conn, wait := peerProcess(t, "answer")
	within(t, func() error {
		dec := sofab.NewDecoder(conn)
		var got reply
		for range 2 {
			if err := conn.SetReadDeadline(time.Now().Add(time.Millisecond)); err != nil {
				return err
			}
			if err := dec.Decode(&got); !errors.Is(err, os.ErrDeadlineExceeded) {
				return fmt.Errorf("without a request: %v", err)
			}
		}
		if err := conn.SetReadDeadline(time.Time{}); err != nil {
			return err
		}
		if err := sofab.NewEncoder(conn).Encode(request{Seq: 9, Text: "late"}); err != nil {
			return err
		}
		if err := dec.Decode(&got); err != nil {
			return err
		}
		if diff := cmp.Diff(replyTo(request{Seq: 9, Text: "late"}), got); diff != "" {
			return fmt.Errorf("the late reply (-want +got):\n%s", diff)
		}
		if err := conn.Close(); err != nil {
			return err
		}
		return wait()
	})
}
