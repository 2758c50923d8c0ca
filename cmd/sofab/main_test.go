package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/sofab-go/sofab/testdata"
)

func TestCommandLine(t *testing.T) {
	for _, tt := range []struct {
		args           []string
		code           int
		stdout, stderr string // what each must contain; "" means nothing at all
	}{
		{nil, exitOK, "Usage:", ""},
		{[]string{"-h"}, exitOK, "Usage:", ""},
		{[]string{"help"}, exitOK, "Usage:", ""},
		{[]string{"demo", "-h"}, exitOK, "Usage:", ""},
		{[]string{"dmeo"}, exitUsage, "", `unknown command "dmeo"`},
		{[]string{"demo", "-nosuch"}, exitUsage, "", "-nosuch"},
		{[]string{"demo", "now"}, exitUsage, "", `unexpected argument "now"`},
		{[]string{"demo", "-rounds", "0"}, exitUsage, "", "at least 1"},
		{[]string{"demo", "-data", "no/such/file.json"}, exitFailed, "", "no/such/file.json"},
		{[]string{"demo", "-rounds", "2"}, exitOK, "equals the one that was sent", ""},
	} {
		t.Run("sofab "+strings.Join(tt.args, " "), func(t *testing.T) {
			var stdout, stderr bytes.Buffer
			if code := run(tt.args, &stdout, &stderr); code != tt.code {
				t.Errorf("exit code %d, want %d", code, tt.code)
			}
			for _, out := range []struct {
				name, got, want string
			}{
				{"stdout", stdout.String(), tt.stdout},
				{"stderr", stderr.String(), tt.stderr},
			} {
				if !strings.Contains(out.got, out.want) || out.want == "" && out.got != "" {
					t.Errorf("%s is %q, want %q in it", out.name, out.got, out.want)
				}
			}
		})
	}
}

func TestDemoTable(t *testing.T) {
	book, source, err := loadBook("")
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := demo(&out, book, source, 3, codecs); err != nil {
		t.Fatal(err)
	}
	const number, micros, ratio = ` +\d+`, ` +\d+\.\d µs`, ` +(\d+\.\d×|–)`
	lines := []string{
		` +per message +bytes +marshal +allocs +unmarshal +allocs`,
		` +sofab` + number + micros + number + micros + number,
		` +encoding/json` + number + micros + number + micros + number,
		` +encoding/json ÷ sofab` + strings.Repeat(ratio, 5),
	}
	table := regexp.MustCompile(`(?m)^` + strings.Join(lines, "\n") + `$`)
	if !table.MatchString(out.String()) {
		t.Errorf("no table in\n%s", out.String())
	}
}

// TestDemoNotices spoils one thing on the way and expects the demo to fail for it.
func TestDemoNotices(t *testing.T) {
	// spoil returns a codec that changes every book it has decoded.
	spoil := func(change func(*Book)) codec {
		return codec{"spoilt", json.Marshal, func(data []byte, v any) error {
			err := json.Unmarshal(data, v)
			change(v.(*Book))
			return err
		}}
	}
	for _, tt := range []struct {
		name  string
		codec codec
		want  string
	}{
		{"amount", spoil(func(b *Book) { b.Orders[7].Total++ }), "another Total"},
		{"deep value", spoil(func(b *Book) { b.Orders[9].Items[0].Title += "." }), "another Items"},
		{"presence", spoil(func(b *Book) { b.Orders[3].Note = new(string) }), "another Note"},
		{"lost order", spoil(func(b *Book) { b.Orders = b.Orders[1:] }), "299 arrived"},
		{"book", spoil(func(b *Book) { b.Exported = 0 }), "own fields"},
		{"bytes", codec{"spoilt", func(v any) ([]byte, error) {
			data, err := json.Marshal(v)
			return data[:len(data)/2], err
		}, json.Unmarshal}, "unexpected end"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			book, source, err := loadBook("")
			if err != nil {
				t.Fatal(err)
			}
			var out bytes.Buffer
			err = demo(&out, book, source, 1, []codec{codecs[0], tt.codec})
			if err == nil || !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), "spoilt") {
				t.Errorf("error is %v, want one with %q that names the codec", err, tt.want)
			}
			if strings.Contains(out.String(), "equals") {
				t.Errorf("the demo claims success:\n%s", out.String())
			}
		})
	}
}

// TestBookIsComplete makes sure that no part of the data file is dropped by the types here.
func TestBookIsComplete(t *testing.T) {
	dec := json.NewDecoder(bytes.NewReader(testdata.Orders))
	dec.DisallowUnknownFields()
	var book Book
	if err := dec.Decode(&book); err != nil {
		t.Fatal(err)
	}
	if len(book.Orders) < 200 {
		t.Errorf("the book has %d orders, want hundreds", len(book.Orders))
	}
}

func TestLoadBookFromFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "book.json")
	if err := os.WriteFile(name, []byte(`{"store":"S","orders":[{"id":1}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	book, source, err := loadBook(name)
	if err != nil || source != name || book.Store != "S" || len(book.Orders) != 1 {
		t.Errorf("loadBook = %+v, %q, %v", book, source, err)
	}
	if err := os.WriteFile(name, []byte(`{"orders":7}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err := loadBook(name); err == nil || !strings.Contains(err.Error(), "not an order book") {
		t.Errorf("error is %v, want one that says it is not an order book", err)
	}
}
