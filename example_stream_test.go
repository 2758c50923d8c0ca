package sofab_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"

	"github.com/sofab-go/sofab"
)

// A server answers one request after the other until its client closes the
// connection. No side waits for a byte that the other one does not owe it.
func ExampleDecoder() {
	type Query struct {
		Word string `sofab:"1"`
	}
	type Answer struct {
		Letters uint32 `sofab:"1"`
		Upper   bool   `sofab:"2"`
	}
	client, server := net.Pipe()

	go func() {
		defer server.Close()
		dec, enc := sofab.NewDecoder(server), sofab.NewEncoder(server)
		for {
			var q Query
			if err := dec.Decode(&q); err == io.EOF {
				return
			} else if err != nil {
				log.Print(err)
				return
			}
			a := Answer{Letters: uint32(len(q.Word)), Upper: q.Word != "" && q.Word[0] <= 'Z'}
			if err := enc.Encode(a); err != nil {
				log.Print(err)
				return
			}
		}
	}()

	dec, enc := sofab.NewDecoder(client), sofab.NewEncoder(client)
	for _, word := range []string{"Hamburg", "tide", ""} {
		if err := enc.Encode(Query{word}); err != nil {
			log.Fatal(err)
		}
		var a Answer
		if err := dec.Decode(&a); err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%q %+v\n", word, a)
	}
	client.Close()
	// Output:
	// "Hamburg" {Letters:7 Upper:true}
	// "tide" {Letters:4 Upper:false}
	// "" {Letters:0 Upper:false}
}

// An HTTP body is one message, which ends with the body. UnmarshalRead reads it up to
// its end, so that the connection can be used for the next request.
func Example_http() {
	type Sum struct {
		Terms []int64 `sofab:"1"`
	}
	type Total struct {
		Value int64 `sofab:"1"`
	}
	handler := func(w http.ResponseWriter, r *http.Request) {
		var in Sum
		if err := sofab.UnmarshalRead(http.MaxBytesReader(w, r.Body, 1<<20), &in); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		var out Total
		for _, term := range in.Terms {
			out.Value += term
		}
		if err := sofab.MarshalWrite(w, out); err != nil {
			log.Print(err)
		}
	}
	server := httptest.NewServer(http.HandlerFunc(handler))
	defer server.Close()

	var body bytes.Buffer
	if err := sofab.MarshalWrite(&body, Sum{Terms: []int64{40, 5, -3}}); err != nil {
		log.Fatal(err)
	}
	response, err := http.Post(server.URL, "application/octet-stream", &body)
	if err != nil {
		log.Fatal(err)
	}
	defer response.Body.Close()
	var total Total
	if err := sofab.UnmarshalRead(response.Body, &total); err != nil {
		log.Fatal(err)
	}
	fmt.Println(total.Value)
	// Output: 42
}

// A Feeder takes a message as it comes in from a serial line, where a chunk ends
// anywhere. Here the line has sent the size of the message in front of it.
func ExampleFeeder() {
	type Sample struct {
		Sensor string  `sofab:"1"`
		Values []int16 `sofab:"2"`
	}
	line := bytes.NewReader([]byte{12, 0x0a, 0x1a, 'p', 'h', '1', 0x14, 5, 2, 4, 6, 1, 3, 99})

	size, err := line.ReadByte()
	if err != nil {
		log.Fatal(err)
	}
	var s Sample
	feeder, err := sofab.NewFeeder(&s)
	if err != nil {
		log.Fatal(err)
	}
	chunk := make([]byte, 4) // the same memory for every chunk
	for left := int(size); left > 0; {
		n, err := line.Read(chunk[:min(left, len(chunk))])
		if err != nil {
			log.Fatal(err)
		}
		left -= n
		switch err := feeder.Feed(chunk[:n]); {
		case err == nil:
			fmt.Println("complete", s)
		case errors.Is(err, sofab.ErrIncomplete):
			fmt.Println("so far  ", s)
		default:
			log.Fatal(err)
		}
	}
	// Output:
	// so far   { []}
	// so far   {ph1 [1]}
	// complete {ph1 [1 2 3 -1 -2]}
}

// Two peers agree on another protocol in messages, and go on with it on the same
// connection. What the decoder has read ahead belongs to the new protocol.
func ExampleDecoder_Buffered() {
	type Upgrade struct {
		Protocol string `sofab:"1"`
	}
	var conn bytes.Buffer
	if err := sofab.NewEncoder(&conn).Encode(Upgrade{"lines"}); err != nil {
		log.Fatal(err)
	}
	conn.WriteString("first line\nsecond line\n")

	dec := sofab.NewDecoder(&conn)
	var u Upgrade
	if err := dec.Decode(&u); err != nil {
		log.Fatal(err)
	}
	rest, err := io.ReadAll(io.MultiReader(dec.Buffered(), &conn))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s after %d bytes: %q\n", u.Protocol, dec.InputOffset(), rest)
	// Output: lines after 8 bytes: "first line\nsecond line\n"
}

// A message that the destination refuses costs that message only; the decoder goes on
// with the next one.
func ExampleDecoder_More() {
	type Reading struct {
		Station string `sofab:"1,maxlen=3"`
		Level   uint16 `sofab:"2"`
	}
	var b bytes.Buffer
	enc := sofab.NewEncoder(&b)
	for _, v := range []any{
		Reading{"HH", 512},
		struct {
			Station string `sofab:"1"`
		}{"Cuxhaven"},
		Reading{"SPO", 318},
	} {
		if err := enc.Encode(v); err != nil {
			log.Fatal(err)
		}
	}
	dec := sofab.NewDecoder(&b)
	for dec.More() {
		var r Reading
		if err := dec.Decode(&r); err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Println(r)
	}
	// Output:
	// {HH 512}
	// sofab: Reading.Station: 8 bytes are more than maxlen=3 allows at offset 9
	// {SPO 318}
}
