package sofab_test

import (
	"bytes"
	"errors"
	"go/ast"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/sofab-go/sofab"
	"github.com/sofab-go/sofab/stream"
	"github.com/sofab-go/sofab/wire"
)

var careful, _ = sofab.Options{Strict: true, Unknown: sofab.Reject}.Codec()

func readCarefully(data []byte) (Booking, error) {
	var b Booking
	err := careful.Unmarshal(data, &b)
	return b, err
}

type Checkout struct {
	Payment Payment `sofab:"1,union"`
	Parcel  Parcel  `sofab:"2"`
}

type Payment struct {
	Cash *uint64 `sofab:"1"`
	Card *Card   `sofab:"2"`
}

type Card struct {
	Number string `sofab:"1,maxlen=19"`
}

type Parcel interface{ Litres() uint32 }

type Box struct {
	Volume uint32 `sofab:"1"`
}

type Tube struct {
	Length uint32 `sofab:"1"`
}

func (b Box) Litres() uint32   { return b.Volume }
func (t *Tube) Litres() uint32 { return t.Length }

func init() {
	sofab.RegisterUnion[Parcel](sofab.Arm[Box](1), sofab.Arm[*Tube](2))
}

// Celsius is a temperature that is a signed number on the wire.
type Celsius struct{ milli int64 }

func (c Celsius) IsZero() bool { return c.milli == 0 }

func (c Celsius) MarshalSofabTo(e *stream.Encoder, id wire.ID) error {
	return e.Signed(id, c.milli)
}

func (c *Celsius) UnmarshalSofabFrom(d *stream.Decoder, f stream.Field) error {
	var err error
	c.milli, err = d.Signed()
	return err
}

func TestTags(t *testing.T) {
	if err := sofab.Check[Booking](); err != nil {
		t.Error(err)
	}
}

func handleBooking(w http.ResponseWriter, r *http.Request) {
	var b Booking
	if err := sofab.UnmarshalRead(r.Body, &b); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	b.ID = 4711
	if err := sofab.MarshalWrite(w, b); err != nil {
		log.Print(err)
	}
}

func answerBookings(conn io.ReadWriter) error {
	dec, enc := sofab.NewDecoder(conn), sofab.NewEncoder(conn)
	for {
		var b Booking
		if err := dec.Decode(&b); err == io.EOF {
			return nil // the end, between two messages
		} else if err != nil {
			return err
		}
		b.Nights++
		if err := enc.Encode(b); err != nil {
			return err
		}
	}
}

func bookingFrom(chunks <-chan []byte) (Booking, error) {
	var b Booking
	f, err := sofab.NewFeeder(&b)
	if err != nil {
		return b, err
	}
	for chunk := range chunks {
		if err = f.Feed(chunk); err != nil && !errors.Is(err, sofab.ErrIncomplete) {
			break // nil: it may end here; ErrIncomplete: it cannot
		}
	}
	return b, err
}

func TestReadmeBlocks(t *testing.T) {
	b := Booking{ID: 4711, Guest: Guest{Name: "Zoë"}, Nights: 2}
	data := sofabBytes(t, b)

	if got, err := readCarefully(data); err != nil || got != b {
		t.Errorf("readCarefully: %+v, %v", got, err)
	}
	if _, err := readCarefully(append(bytes.Clone(data), 0x20, 0x01)); !errors.Is(err, sofab.ErrUnknownField) {
		t.Errorf("readCarefully with an unknown field: %v", err)
	}

	chunks := make(chan []byte, len(data))
	for i := range data {
		chunks <- data[i : i+1]
	}
	close(chunks)
	if got, err := bookingFrom(chunks); err != nil || got != b {
		t.Errorf("bookingFrom: %+v, %v", got, err)
	}

	conn := struct {
		io.Reader
		io.Writer
	}{bytes.NewReader(terminated(t, b, Booking{})), new(bytes.Buffer)}
	if err := answerBookings(conn); err != nil {
		t.Error(err)
	}
	more := b
	more.Nights++
	if diff := cmp.Diff(terminated(t, more, Booking{Nights: 1}), conn.Writer.(*bytes.Buffer).Bytes()); diff != "" {
		t.Errorf("answerBookings (-want +got):\n%s", diff)
	}

	answer := httptest.NewRecorder()
	handleBooking(answer, httptest.NewRequest(http.MethodPost, "/", bytes.NewReader(data)))
	if diff := cmp.Diff(data, answer.Body.Bytes()); diff != "" || answer.Code != http.StatusOK {
		t.Errorf("handleBooking: status %d (-want +got):\n%s", answer.Code, diff)
	}

	for _, v := range []any{
		&Checkout{Payment: Payment{Cash: new(uint64)}, Parcel: Box{Volume: 3}},
		&Checkout{Payment: Payment{Card: &Card{Number: "4242"}}, Parcel: &Tube{}},
	} {
		got := new(Checkout)
		if err := sofab.Unmarshal(sofabBytes(t, v), got); err != nil {
			t.Error(err)
		} else if diff := cmp.Diff(v, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
	type weather struct {
		Now  Celsius   `sofab:"1"`
		Days []Celsius `sofab:"2"`
	}
	want, got := weather{Days: []Celsius{{21500}, {}, {0}}}, weather{}
	if err := sofab.Unmarshal(sofabBytes(t, want), &got); err != nil {
		t.Error(err)
	} else if diff := cmp.Diff(want, got, cmp.AllowUnexported(Celsius{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestReadmeErrors: the section about errors has every sentinel and error type that is
// declared, and no other.
func TestReadmeErrors(t *testing.T) {
	_, section, ok := strings.Cut(readFile(t, "README.md"), "\n## Errors\n")
	if !ok {
		t.Fatal("README.md has no section Errors")
	}
	section, _, _ = strings.Cut(section, "\n## ")
	listed := make(map[string]bool)
	for _, m := range regexp.MustCompile("`\\*?(Err\\w+|\\w+Error)`").FindAllStringSubmatch(section, -1) {
		listed[m[1]] = true
	}
	for name := range exportedNames(t) {
		isError := strings.HasPrefix(name, "Err") || strings.HasSuffix(name, "Error")
		if isError && ast.IsExported(name) && !listed[name] {
			t.Errorf("the section does not list %s", name)
		}
		delete(listed, name)
	}
	for name := range listed {
		t.Errorf("the section lists %s, which is not declared", name)
	}
}

// TestReadmeBlocksCompile: every code block behind the first stands in this file, where
// the compiler sees it.
func TestReadmeBlocksCompile(t *testing.T) {
	this := readFile(t, "readme_blocks_test.go")
	for i, block := range goBlocks(readFile(t, "README.md"))[1:] {
		if !strings.Contains(this, block) {
			t.Errorf("readme_blocks_test.go does not have code block %d:\n%s", i+1, block)
		}
	}
}
