package sofab_test

import (
	"bytes"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"math/big"
	"net"
	"net/netip"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/sofab-go/sofab"
)

// A color is an enum with names.
type color int

const (
	red color = iota
	green
)

var colorNames = []string{"red", "green"}

func (c color) MarshalText() ([]byte, error) {
	if c < 0 || int(c) >= len(colorNames) {
		return nil, fmt.Errorf("no color %d", int(c))
	}
	return []byte(colorNames[c]), nil
}

func (c *color) UnmarshalText(text []byte) error {
	for i, name := range colorNames {
		if name == string(text) {
			*c = color(i)
			return nil
		}
	}
	return errNoColor
}

var errNoColor = errors.New("no such color")

// A uuid has both pairs of methods.
type uuid [16]byte

func (u uuid) MarshalBinary() ([]byte, error) { return u[:], nil }
func (u uuid) MarshalText() ([]byte, error)   { return []byte(hex.EncodeToString(u[:])), nil }
func (u uuid) IsZero() bool                   { return u == uuid{} }

func (u *uuid) UnmarshalBinary(b []byte) error {
	if len(b) != 16 {
		return fmt.Errorf("%d bytes", len(b))
	}
	copy(u[:], b)
	return nil
}

func (u *uuid) UnmarshalText(text []byte) error {
	if len(text) != 32 {
		return fmt.Errorf("%d digits", len(text))
	}
	_, err := hex.Decode(u[:], text)
	return err
}

// A counter has its methods on the pointer and counts the calls.
type counter struct{ n, marshalled int }

func (c *counter) MarshalText() ([]byte, error) {
	c.marshalled++
	return bytes.Repeat([]byte("i"), c.n), nil
}

func (c *counter) UnmarshalText(text []byte) error {
	c.n = len(text)
	for i := range text {
		text[i] = 'x' // it is ours
	}
	return nil
}

func TestTextMethods(t *testing.T) {
	type values struct {
		Color  color            `sofab:"0"`
		Ptr    *color           `sofab:"1"`
		List   []color          `sofab:"2"`
		Number color            `sofab:"3,enum"`
		Width  color            `sofab:"4,i8"`
		ID     uuid             `sofab:"5"`
		Text   uuid             `sofab:"6,string"`
		Blob   uuid             `sofab:"7,blob"`
		IP     net.IP           `sofab:"8"`
		Raw    net.IP           `sofab:"9,blob"`
		Addr   netip.Addr       `sofab:"10"`
		Site   url.URL          `sofab:"11"`
		IDs    []uuid           `sofab:"12"`
		Colors map[string]color `sofab:"13"`
		Pair   [2]uuid          `sofab:"14"`
		Octets net.IP           `sofab:"15,array"`
		Bound  color            `sofab:"16,maxlen=4"`
	}
	compareAddr := cmp.Comparer(func(a, b netip.Addr) bool { return a == b })
	text := func(head, s string) string {
		return fmt.Sprintf("%s %x %x ", head, varintOf(uint64(len(s))<<3|2), s)
	}
	blob := func(head, s string) string {
		return fmt.Sprintf("%s %x %x ", head, varintOf(uint64(len(s))<<3|3), s)
	}
	zero := values{}
	checkBothWays(t, &zero, text("02", "red")+text("82 01", "red"), &zero, compareAddr)

	site, err := url.Parse("https://u:p@example.org/a?b#c")
	if err != nil {
		t.Fatal(err)
	}
	green, id := green, uuid{1, 15: 2}
	v := values{
		Color: green, Ptr: new(color), List: []color{red, green}, Number: green, Width: green,
		ID: id, Text: id, Blob: id,
		IP: net.IPv4(1, 2, 3, 4), Raw: net.IPv4(1, 2, 3, 4).To4(), Addr: netip.MustParseAddr("fe80::1%eth0"), Site: *site,
		IDs: []uuid{id, {}, {}}, Pair: [2]uuid{{}, id}, Octets: net.IP{1, 200},
	}
	checkBothWays(t, &v, text("02", "green")+text("0a", "red")+"16"+text("02", "red")+text("0a", "green")+"07"+
		"19 02 21 02"+blob("2a", string(id[:]))+text("32", "01000000000000000000000000000002")+blob("3a", string(id[:]))+
		text("42", "1.2.3.4")+blob("4a", "\x01\x02\x03\x04")+blob("52", "\xfe\x80\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x01eth0")+
		blob("5a", "https://u:p@example.org/a?b#c")+
		"66"+blob("02", string(id[:]))+blob("12", string(make([]byte, 16)))+"07"+
		"76"+blob("0a", string(id[:]))+"07"+
		"7b 02 01 c8 01"+text("82 01", "red"), &v, compareAddr, cmp.AllowUnexported(url.Userinfo{}))

	// What is empty is the zero value, as a gap is.
	checkDecodesAs(t, unhex(t, "02 02 2a 03 66 0a 03 07"), &values{IDs: make([]uuid, 2)}, compareAddr)
	checkDecodesAs(t, unhex(t, "66 0a 83 01"+strings.Repeat("01", 16)+"07"),
		&values{IDs: []uuid{{}, {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}}}, compareAddr)
	// A blob does not go into a text.
	checkDecodesAs(t, unhex(t, "02 2b 67 72 65 65 6e"), &zero, compareAddr)

	checkRefused(t, "82 01 2a 67 72 65 65 6e", &values{}, "values.Bound: ", "maxlen=4")
	checkRefused(t, "02 0a ff", &values{}, "values.Color: ", "invalid UTF-8 at byte 0")
}

func TestTextMethodErrors(t *testing.T) {
	type values struct {
		Colors []color `sofab:"0"`
	}
	for _, s := range decodeSurfaces {
		err := s.decode(unhex(t, "06 02 1a 726564 0a 0a 78 07"), new(values))
		var e *sofab.MarshalerError
		if !errors.As(err, &e) || !errors.Is(err, errNoColor) || e.Path != "values.Colors[1]" || e.Method != "UnmarshalText" {
			t.Errorf("%s: error %v", s.name, err)
		}
	}
	checkRefused(t, "06 02 1a 726564 0a 0a 78 07", &values{}, "values.Colors[1]: ", "no such color at offset 6")
	// A message inside that ends too early is no reason to wait for more.
	checkRefused(t, "02 0b 08", &struct {
		V message `sofab:"0"`
	}{}, "V: UnmarshalBinary of ", "at offset 0")

	err := checkEncodeFails(t, &values{[]color{red, 7}})
	var e *sofab.MarshalerError
	if !errors.As(err, &e) || e.Path != "values.Colors[1]" || e.Method != "MarshalText" || e.Err.Error() != "no color 7" {
		t.Errorf("error %v", err)
	}
	if err := checkEncodeFails(t, &struct {
		V badText `sofab:"0"`
	}{}); err == nil || err.Error() != "sofab: V: invalid UTF-8 at byte 1" {
		t.Errorf("error %v", err)
	}
}

// A message is a message of its own in a blob.
type message struct{ n int }

func (m message) MarshalBinary() ([]byte, error)  { return sofab.Marshal(m.n) }
func (m *message) UnmarshalBinary(b []byte) error { return sofab.Unmarshal(b, &m.n) }

type badText struct{}

func (badText) MarshalText() ([]byte, error) { return []byte("a\xff"), nil }
func (*badText) UnmarshalText([]byte) error  { return nil }

// The methods are found on pointer receivers, whether or not the value can be
// addressed; a value in an interface is then copied, not changed.
func TestTextMethodsByPointer(t *testing.T) {
	type holder struct {
		C    counter    `sofab:"0"`
		List []counter  `sofab:"1"`
		Pair [1]counter `sofab:"2"`
		Ptr  *counter   `sofab:"3"`
	}
	want := unhex(t, "02 12 6969 0e 02 0a 69 07 16 02 0a 69 07 1a 02")
	v := holder{counter{n: 2}, []counter{{n: 1}}, [1]counter{{n: 1}}, new(counter)}
	boxed := any(v)
	for range 2 {
		if got, err := sofab.Marshal(boxed); err != nil || !bytes.Equal(got, want) {
			t.Errorf("got %x, %v, want %x", got, err, want)
		}
	}
	if calls := boxed.(holder).C.marshalled + boxed.(holder).Pair[0].marshalled; calls != 0 {
		t.Errorf("the value in the interface was changed")
	}
	input := bytes.Clone(want)
	var got holder
	if err := sofab.Unmarshal(input, &got); err != nil || got.C.n != 2 || got.List[0].n != 1 || got.Pair[0].n != 1 || got.Ptr.n != 0 {
		t.Errorf("got %v, %v", got, err)
	}
	if !bytes.Equal(input, want) {
		t.Errorf("the input was changed to %x", input)
	}
	if got, err := sofab.Marshal(counter{n: 3}); err != nil || !bytes.Equal(got, unhex(t, "02 1a 696969")) {
		t.Errorf("top level: %x, %v", got, err)
	}
}

// The keys and values of maps cannot be addressed; copies of them can.
func TestTextMethodsInMaps(t *testing.T) {
	type holder struct {
		ByColor  map[color]int             `sofab:"0"`
		Counters map[string]counter        `sofab:"1"`
		ByID     map[uuid]uuid             `sofab:"2"`
		Times    map[string]time.Time      `sofab:"3,val.time=unix"`
		Nulls    map[string]sql.NullString `sofab:"4"`
		Numbers  map[int]*big.Int          `sofab:"5"`
	}
	id := uuid{1}
	v := holder{
		ByColor: map[color]int{green: 1, red: 2}, Counters: map[string]counter{"a": {n: 2}},
		ByID: map[uuid]uuid{id: {}, {}: id}, Times: map[string]time.Time{"": {}, "a": time.Unix(0, 0).UTC()},
		Nulls:   map[string]sql.NullString{"a": {}, "b": {Valid: true}},
		Numbers: map[int]*big.Int{1: nil, 2: new(big.Int)},
	}
	sixteen := func(first string) string { return "83 01 " + first + strings.Repeat("00", 15) }
	checkBothWays(t, &v, "06 06 02 2a 677265656e 09 02 07 0e 02 1a 726564 09 04 07 07"+
		"0e 06 02 0a 61 0a 12 6969 07 07"+
		"16 06 0a "+sixteen("01")+"07 0e 02 "+sixteen("01")+"07 07"+
		"1e 0e 02 0a 61 09 00 07 07"+
		"26 06 02 0a 61 07 0e 02 0a 62 0a 02 07 07"+
		"2e 06 01 02 07 0e 01 04 0a 0b 00 07 07", &v, sameTime, sameBig, cmp.AllowUnexported(counter{}))
}

func TestTextDefault(t *testing.T) {
	type values struct {
		Color color  `sofab:"0,default=green"`
		IP    net.IP `sofab:"1,default='b64::1'"`
		ID    uuid   `sofab:"2,string,default='01000000000000000000000000000000'"`
	}
	ip := net.ParseIP("b64::1")
	full := values{green, ip, uuid{1}}
	checkBothWays(t, &full, "", &full)
	checkBothWays(t, &values{}, fmt.Sprintf("02 1a %x 0a 02 12 82 02 %x", "red", strings.Repeat("0", 32)), &values{})
	// A default is not shared between the values that have it.
	for range 2 {
		var v values
		if err := sofab.Unmarshal(nil, &v); err != nil || !v.IP.Equal(ip) {
			t.Errorf("got %v, %v", v.IP, err)
		}
		scrub(v.IP)
	}
	checkTagFault(t, struct {
		A color `sofab:"0,default=blue"`
	}{}, `default="blue" at byte 2: no such color`)
	checkTagFault(t, struct {
		A uuid `sofab:"0,default=x"`
	}{}, "in binary form has no declared default")
	checkTagFault(t, struct {
		A color `sofab:"0,maxlen=3,default=green"`
	}{}, "has 5 bytes, more than maxlen=3 allows")
}

type onlyMarshals string

func (onlyMarshals) MarshalText() ([]byte, error) { return nil, nil }

type onlyUnmarshals string

func (*onlyUnmarshals) UnmarshalBinary([]byte) error { return nil }

// halfBinary has half of the first pair and all of the second.
type halfBinary string

func (halfBinary) MarshalBinary() ([]byte, error) { return nil, errors.New("not this one") }
func (h halfBinary) MarshalText() ([]byte, error) { return []byte("<" + string(h)), nil }
func (h *halfBinary) UnmarshalText(b []byte) error {
	*h = halfBinary(b[1:])
	return nil
}

func TestTextMethodsInHalves(t *testing.T) {
	checkTagFault(t, struct {
		A onlyMarshals `sofab:"0"`
	}{}, "field A: type sofab_test.onlyMarshals has no method UnmarshalText")
	checkTagFault(t, struct {
		A []*onlyUnmarshals `sofab:"0"`
	}{}, "field A: type sofab_test.onlyUnmarshals has no method MarshalBinary")
	checkTagFault(t, struct {
		A color `sofab:"0,blob"`
	}{}, `option "blob" needs the methods MarshalBinary and UnmarshalBinary`)
	checkTagFault(t, struct {
		A color `sofab:"0,count=4"`
	}{}, `option "count" does not go with type sofab_test.color`)
	checkTagFault(t, struct {
		A color `sofab:"0,presence"`
	}{}, `option "presence" does not go with type sofab_test.color`)
	v := struct {
		A halfBinary `sofab:"0"`
	}{"x"}
	checkBothWays(t, &v, "02 12 3c78", &v)
	// A string whose options ask for the other form is one by its kind.
	w := struct {
		A onlyMarshals `sofab:"0,blob"`
	}{"x"}
	checkBothWays(t, &w, "02 0b 78", &w)
}

// A struct has the methods of what it embeds. It is more than that if it has fields
// with tags.
func TestTextMethodsOfEmbedded(t *testing.T) {
	type tagged struct {
		color
		N int `sofab:"1"`
	}
	checkBothWays(t, &tagged{green, 3}, "09 06", &tagged{red, 3}, cmp.AllowUnexported(tagged{}))
	type withID struct {
		uuid `sofab:"-"`
		N    int `sofab:"1"`
	}
	checkBothWays(t, &withID{uuid{1}, 3}, "09 06", &withID{uuid{}, 3}, cmp.AllowUnexported(withID{}))
	type wrapped struct{ color }
	v := struct {
		W wrapped `sofab:"0"`
	}{wrapped{green}}
	checkBothWays(t, &v, fmt.Sprintf("02 2a %x", "green"), &v, cmp.AllowUnexported(wrapped{}))

	type Period struct{ counter }
	checkTagFault(t, struct {
		Period
		N int `sofab:"1"`
	}{}, "exported field Period has no sofab tag; add `sofab:\"2\"`")
}

// With Options.Reuse and Options.Alias a used destination gets the same values as a new
// one: nothing of the message before shows through a stand-in or a kept element.
func TestStandInsWithReuse(t *testing.T) {
	type values struct {
		Times   []time.Time      `sofab:"0"`
		Unix    []time.Time      `sofab:"1,elem.time=unix"`
		Null    sql.NullString   `sofab:"2"`
		Nulls   []sql.NullString `sofab:"3"`
		Numbers []sql.NullInt64  `sofab:"4"`
		Colors  []color          `sofab:"5"`
		Big     []*big.Int       `sofab:"6"`
		IP      net.IP           `sofab:"7"`
		Default color            `sofab:"8,default=green"`
	}
	at := time.Unix(5, 7).In(time.FixedZone("", 3600))
	full := values{
		Times: []time.Time{at, at, at}, Unix: []time.Time{at.UTC().Truncate(time.Second)}, Null: sql.NullString{String: "a", Valid: true},
		Nulls:   []sql.NullString{{String: "a", Valid: true}, {String: "b", Valid: true}},
		Numbers: []sql.NullInt64{{Int64: 1, Valid: true}, {Int64: 2, Valid: true}}, Colors: []color{green, green},
		Big: []*big.Int{big.NewInt(1), big.NewInt(-2)}, IP: net.IPv4(1, 2, 3, 4), Default: red,
	}
	sparse := values{
		Times: []time.Time{{}, at}, Unix: []time.Time{time.Unix(0, 0).UTC(), {}},
		Nulls: []sql.NullString{{}, {Valid: true}}, Numbers: []sql.NullInt64{{Valid: true}},
		Colors: []color{red, red, green}, Big: []*big.Int{nil, big.NewInt(3)}, Default: green,
	}
	codec, err := sofab.Options{Reuse: true, Alias: true}.Codec()
	if err != nil {
		t.Fatal(err)
	}
	var got values
	for _, want := range []*values{&full, &sparse, &full, {Default: green}, &sparse} {
		data, err := codec.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		if err := codec.Unmarshal(data, &got); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(*want, got, sameTime, sameBig, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
}
