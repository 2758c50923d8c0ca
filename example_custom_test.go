package sofab_test

import (
	"fmt"
	"log"

	"github.com/sofab-go/sofab"
	"github.com/sofab-go/sofab/stream"
	"github.com/sofab-go/sofab/wire"
)

// A RawMessage is decoded when it is known what it holds.
func ExampleRawMessage() {
	type envelope struct {
		Kind string           `sofab:"0"`
		Body sofab.RawMessage `sofab:"1"`
	}
	type login struct {
		User string `sofab:"0"`
	}
	body, err := sofab.Marshal(login{"ann"})
	if err != nil {
		log.Fatal(err)
	}
	data, err := sofab.Marshal(envelope{"login", body})
	if err != nil {
		log.Fatal(err)
	}
	var e envelope
	if err := sofab.Unmarshal(data, &e); err != nil {
		log.Fatal(err)
	}
	if e.Kind == "login" {
		var l login
		err := sofab.Unmarshal(e.Body, &l)
		fmt.Println(l.User, err)
	}
	// Output: ann <nil>
}

// A program that knows fewer fields than the writer passes on those it does not know.
func ExampleUnknownFields() {
	type newer struct {
		Name  string `sofab:"1"`
		Email string `sofab:"2"`
	}
	type older struct {
		Name    string              `sofab:"1"`
		Unknown sofab.UnknownFields `sofab:",unknown"`
	}
	data, err := sofab.Marshal(newer{"ann", "ann@example.org"})
	if err != nil {
		log.Fatal(err)
	}
	var o older
	if err := sofab.Unmarshal(data, &o); err != nil {
		log.Fatal(err)
	}
	o.Name = "Ann"
	if data, err = sofab.Marshal(o); err != nil {
		log.Fatal(err)
	}
	var n newer
	err = sofab.Unmarshal(data, &n)
	fmt.Println(n, err)
	// Output: {Ann ann@example.org} <nil>
}

// Fields shows a message of which no type is known.
func ExampleFields() {
	data, err := sofab.Marshal(struct {
		Name  string `sofab:"0"`
		Sizes []int  `sofab:"1"`
	}{"box", []int{3, -4}})
	if err != nil {
		log.Fatal(err)
	}
	var f sofab.Fields
	if err := sofab.Unmarshal(data, &f); err != nil {
		log.Fatal(err)
	}
	for _, field := range f {
		fmt.Printf("%d: %T %v\n", field.ID, field.Value, field.Value)
	}
	// Output:
	// 0: string box
	// 1: []int64 [3 -4]
}

// Version is on the wire as one number.
type Version struct{ Major, Minor uint16 }

func (v Version) MarshalSofabTo(e *stream.Encoder, id wire.ID) error {
	if v == (Version{}) {
		return nil
	}
	return e.Unsigned(id, uint64(v.Major)<<16|uint64(v.Minor))
}

func (v *Version) UnmarshalSofabFrom(d *stream.Decoder, _ stream.Field) error {
	n, err := stream.ReadUnsigned[uint32](d, 32)
	*v = Version{uint16(n >> 16), uint16(n)}
	return err
}

func ExampleMarshalerTo() {
	type program struct {
		Name    string  `sofab:"0"`
		Version Version `sofab:"1"`
	}
	data, err := sofab.Marshal(program{"sofab", Version{1, 4}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%x\n", data)
	var p program
	err = sofab.Unmarshal(data, &p)
	fmt.Println(p, err)
	// Output:
	// 022a736f66616208848004
	// {sofab {1 4}} <nil>
}
