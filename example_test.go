package sofab_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"log"
	"strings"

	"github.com/sofab-go/sofab"
)

// A field is written with the id of its tag if it differs from its default,
// and not at all otherwise: Room is 0 here.
func ExampleMarshal() {
	type Sensor struct {
		Name   string `sofab:"1"`
		Room   uint8  `sofab:"2"`
		Offset int32  `sofab:"3"`
	}
	data, err := sofab.Marshal(Sensor{Name: "attic", Offset: -1})
	fmt.Printf("% x %v\n", data, err)
	// Output: 0a 2a 61 74 74 69 63 19 01 <nil>
}

// The destination is reset first: what is absent from the message is at its
// default afterwards, whatever the variable held before.
func ExampleUnmarshal() {
	type Sensor struct {
		Name   string `sofab:"1"`
		Room   uint8  `sofab:"2"`
		Offset int32  `sofab:"3"`
	}
	data := []byte{0x0a, 0x2a, 'a', 't', 't', 'i', 'c', 0x19, 0x01}

	s := Sensor{Room: 7}
	err := sofab.Unmarshal(data, &s)
	fmt.Printf("%+v %v\n", s, err)
	// Output: {Name:attic Room:0 Offset:-1} <nil>
}

// Structs nest, alone and in slices. Each has ids of its own.
func Example_nested() {
	type Point struct {
		X int32 `sofab:"1"`
		Y int32 `sofab:"2"`
	}
	type Path struct {
		Start Point    `sofab:"1"`
		Stops []Point  `sofab:"2"`
		Names []string `sofab:"3"`
	}
	data, err := sofab.Marshal(Path{
		Start: Point{1, -1},
		Stops: []Point{{2, 0}, {0, 0}, {3, 3}},
		Names: []string{"harbour", "", "hill"},
	})
	if err != nil {
		log.Fatal(err)
	}
	var got Path
	err = sofab.Unmarshal(data, &got)
	fmt.Printf("%d bytes\n%+v\n%q %v\n", len(data), got.Stops, got.Names, err)
	// Output:
	// 35 bytes
	// [{X:2 Y:0} {X:0 Y:0} {X:3 Y:3}]
	// ["harbour" "" "hill"] <nil>
}

// A default other than zero stands in the tag. Both ends must know it, because
// a field at its default is not on the wire.
func Example_defaults() {
	type Retry struct {
		Attempts uint8   `sofab:"1,default=3"`
		Factor   float64 `sofab:"2,default=1.5"`
		Mode     string  `sofab:"3,default='exponential'"`
	}
	data, err := sofab.Marshal(Retry{Attempts: 3, Factor: 1.5, Mode: "exponential"})
	fmt.Printf("%d bytes %v\n", len(data), err)

	var got Retry
	err = sofab.Unmarshal(nil, &got) // no bytes: everything at its default
	fmt.Printf("%+v %v\n", got, err)
	// Output:
	// 0 bytes <nil>
	// {Attempts:3 Factor:1.5 Mode:exponential} <nil>
}

// A pointer has presence: nil is absent, and a pointer to zero is not.
func Example_pointers() {
	type Reading struct {
		Celsius *float32 `sofab:"1"`
		Comment *string  `sofab:"2"`
	}
	zero := float32(0)
	data, err := sofab.Marshal(Reading{Celsius: &zero})
	fmt.Printf("% x %v\n", data, err)

	var got Reading
	err = sofab.Unmarshal(data, &got)
	fmt.Println(*got.Celsius, got.Comment == nil, err)
	// Output:
	// 0a 20 00 00 00 00 <nil>
	// 0 true <nil>
}

// Bounds in tags hold in both directions: a value that the other end would
// have to refuse is not sent.
func Example_bounds() {
	type Label struct {
		Text string `sofab:"1,maxlen=8"`
	}
	_, err := sofab.Marshal(Label{Text: strings.Repeat("x", 12)})
	fmt.Println(err)

	data := append([]byte{0x0a, 0x62}, "xxxxxxxxxxxx"...) // from a peer that does not keep to it
	err = sofab.Unmarshal(data, &Label{})
	fmt.Println(err)

	var bound *sofab.BoundError
	if errors.As(err, &bound) {
		fmt.Printf("%s: %s is %d, got %v\n", bound.Path, bound.Bound, bound.Limit, bound.Got)
	}
	fmt.Println("invalid:", errors.Is(err, sofab.ErrInvalid))
	// Output:
	// sofab: Label.Text: 12 bytes are more than maxlen=8 allows
	// sofab: Label.Text: 12 bytes are more than maxlen=8 allows at offset 1
	// Label.Text: maxlen is 8, got 12
	// invalid: true
}

// A message that ends too early is another matter than one that is malformed:
// the rest may still be on its way.
func Example_incomplete() {
	type Label struct {
		Text string `sofab:"1"`
	}
	data, err := sofab.Marshal(Label{Text: "north gate"})
	if err != nil {
		log.Fatal(err)
	}
	err = sofab.Unmarshal(data[:5], &Label{})
	fmt.Println("incomplete:", errors.Is(err, sofab.ErrIncomplete))
	fmt.Println("unexpected EOF:", errors.Is(err, io.ErrUnexpectedEOF))
	fmt.Println("invalid:", errors.Is(err, sofab.ErrInvalid))
	// Output:
	// incomplete: true
	// unexpected EOF: true
	// invalid: false
}

// MarshalWrite and UnmarshalRead are the pair for files and HTTP bodies: one
// message, from the first byte to the end of the input.
func ExampleMarshalWrite() {
	type Page struct {
		Title string   `sofab:"1"`
		Lines []string `sofab:"2"`
	}
	var body bytes.Buffer
	if err := sofab.MarshalWrite(&body, Page{"Fahrplan", []string{"8:05 Görlitz", "9:12 Zittau"}}); err != nil {
		log.Fatal(err)
	}
	fmt.Println(body.Len(), "bytes")

	var got Page
	err := sofab.UnmarshalRead(&body, &got)
	fmt.Printf("%q %v\n", got, err)
	// Output:
	// 40 bytes
	// {"Fahrplan" ["8:05 Görlitz" "9:12 Zittau"]} <nil>
}

// UnmarshalRead decodes as bytes arrive. Errors of the reader pass through.
func ExampleUnmarshalRead() {
	type Temperature struct {
		Celsius float64 `sofab:"1"`
	}
	r := bytes.NewReader([]byte{0x0a, 0x41, 0, 0, 0, 0, 0, 0, 0xf8, 0x3f})
	var t Temperature
	err := sofab.UnmarshalRead(r, &t)
	fmt.Println(t.Celsius, err)
	// Output: 1.5 <nil>
}

// MarshalAppend writes behind what a buffer holds, here behind a length of one
// byte, and does not allocate when there is room.
func ExampleMarshalAppend() {
	type Ping struct {
		Seq uint32 `sofab:"1"`
	}
	buf := make([]byte, 1, 64)
	buf, err := sofab.MarshalAppend(buf, Ping{Seq: 300})
	buf[0] = byte(len(buf) - 1)
	fmt.Printf("% x %v\n", buf, err)
	// Output: 03 08 ac 02 <nil>
}

// Size is the length of what Marshal would return.
func ExampleSize() {
	type Ping struct {
		Seq uint32 `sofab:"1"`
	}
	n, err := sofab.Size(Ping{Seq: 300})
	fmt.Println(n, err)
	// Output: 3 <nil>
}

// Valid needs no type: it judges whether bytes are a whole, well-formed message.
func ExampleValid() {
	fmt.Println(sofab.Valid([]byte{0x08, 0xac, 0x02})) // field 1 is 300
	fmt.Println(sofab.Valid([]byte{0x08, 0xac}))       // … cut off
	fmt.Println(sofab.Valid([]byte{0x0a, 0x05}))       // a reserved subtype
	fmt.Println(sofab.Valid(nil))                      // the message with everything at its default
	// Output:
	// true
	// false
	// false
	// true
}

// Check reports every fault of a type at once. Call it in a test; Marshal and
// Unmarshal give the same error when the type is first used.
func ExampleCheck() {
	type Draft struct {
		Title string   `sofab:"1,maxlne=64"`
		Tags  []string `sofab:"2,cuont=8"`
	}
	fmt.Println(sofab.Check[Draft]())
	// Output:
	// sofab: type sofab_test.Draft: field Title: tag "1,maxlne=64": unknown option "maxlne" at byte 2 (did you mean "maxlen"?)
	// sofab: type sofab_test.Draft: field Tags: tag "2,cuont=8": unknown option "cuont" at byte 2 (did you mean "count"?)
}
