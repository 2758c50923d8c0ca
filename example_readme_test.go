package sofab_test

import (
	"fmt"
	"log"

	"github.com/sofab-go/sofab"
)

type Booking struct {
	ID     uint64 `sofab:"1"`
	Guest  Guest  `sofab:"2"`
	Nights uint8  `sofab:"3,default=1"`
}

type Guest struct {
	Name string `sofab:"1,maxlen=64"`
}

func Example_readme() {
	data, err := sofab.Marshal(Booking{ID: 4711, Guest: Guest{Name: "Zoë"}, Nights: 2})
	if err != nil {
		log.Fatal(err)
	}
	var got Booking
	if err := sofab.Unmarshal(data, &got); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d bytes: % x\n%+v\n", len(data), data, got)
	// Output:
	// 13 bytes: 08 e7 24 16 0a 22 5a 6f c3 ab 07 18 02
	// {ID:4711 Guest:{Name:Zoë} Nights:2}
}
