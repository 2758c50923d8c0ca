package sofab_test

import (
	"bytes"
	"errors"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"
	"unsafe"

	"github.com/google/go-cmp/cmp"
	"github.com/sofab-go/sofab"
	"github.com/sofab-go/sofab/wire"
)

func TestOptionsOutOfRange(t *testing.T) {
	over := wire.MaxArray // also wire.MaxFixlen
	over++                // on a 32-bit platform this is negative, which is out of range too
	for _, tt := range []struct {
		field   string
		options sofab.Options
	}{
		{"Limits.Array", sofab.Options{Limits: sofab.Limits{Array: -1}}},
		{"Limits.Array", sofab.Options{Limits: sofab.Limits{Array: over}}},
		{"Limits.String", sofab.Options{Limits: sofab.Limits{String: -1}}},
		{"Limits.String", sofab.Options{Limits: sofab.Limits{String: over}}},
		{"Limits.Blob", sofab.Options{Limits: sofab.Limits{Blob: math.MinInt}}},
		{"Limits.Blob", sofab.Options{Limits: sofab.Limits{Blob: over}}},
		{"Limits.Message", sofab.Options{Limits: sofab.Limits{Message: -1}}},
		{"Limits.Memory", sofab.Options{Limits: sofab.Limits{Memory: -1}}},
		{"Unknown", sofab.Options{Unknown: 2}},
		{"Framing", sofab.Options{Framing: 3}},
	} {
		c, err := tt.options.Codec()
		if c != nil || err == nil || !strings.HasPrefix(err.Error(), "sofab: ") || strings.Count(err.Error(), "sofab: ") != 1 || !strings.Contains(err.Error(), tt.field+" is ") {
			t.Errorf("%+v: %v, %v", tt.options, c, err)
		}
	}
	highest := sofab.Limits{Array: wire.MaxArray, String: wire.MaxFixlen, Blob: wire.MaxFixlen, Message: math.MaxInt64, Memory: math.MaxInt64}
	if _, err := (sofab.Options{Limits: highest}).Codec(); err != nil {
		t.Errorf("the format's ceilings: %v", err)
	}
}

// TestOptionsAreCopied: a codec does not change with the options it came from.
func TestOptionsAreCopied(t *testing.T) {
	o := sofab.Options{Strict: true}
	c := newCodec(o)
	o.Strict = false
	if err := c.Unmarshal(unhex(t, "09 01"), new(item)); !isTypeError(err) {
		t.Errorf("Strict: %v", err)
	}
}

func TestOptionVerbatimUTF8(t *testing.T) {
	v := item{Free: "a\xffb"}
	data := unhex(t, "1a 1a 61 ff 62")
	if _, err := sofab.Marshal(&v); err == nil {
		t.Error("Marshal of a string that is not UTF-8")
	}
	c := newCodec(sofab.Options{VerbatimUTF8: true})
	got, err := c.Marshal(&v)
	if err != nil || !bytes.Equal(got, data) {
		t.Errorf("Marshal: %x, %v", got, err)
	}
	for _, decode := range codecDecodes(c) {
		var back item
		if err := decode(data, &back); err != nil || back.Free != v.Free {
			t.Errorf("%+v, %v", back, err)
		}
	}
}

// codecDecodes are the ways in which a codec decodes a bare message.
func codecDecodes(c *sofab.Codec) []func([]byte, any) error {
	return []func([]byte, any) error{
		c.Unmarshal,
		func(data []byte, v any) error { return c.UnmarshalRead(bytes.NewReader(data), v) },
		func(data []byte, v any) error {
			return c.NewDecoder(bytes.NewReader(slices.Concat(data, []byte{0x07}))).Decode(v)
		},
		func(data []byte, v any) error {
			f, err := c.NewFeeder(v)
			if err != nil {
				return err
			}
			return feedTo(f, data, 2)
		},
	}
}

func TestOptionMerge(t *testing.T) {
	c := newCodec(sofab.Options{Merge: true})
	data := mustMarshal(t, &item{Short: "new", List: []string{"x"}, Parts: []part{{}, {Ratio: 2}}})
	for i, decode := range codecDecodes(c) {
		got := item{Narrow: 9, Short: "old", Free: "kept", List: []string{"a", "b"}, Last: 3}
		want := item{Narrow: 9, Short: "new", Free: "kept", List: []string{"x"}, Parts: []part{{}, {Ratio: 2}}, Last: 3}
		if err := decode(data, &got); err != nil || !cmp.Equal(got, want) {
			t.Errorf("way %d: %v (-want +got):\n%s", i, err, cmp.Diff(want, got))
		}
	}
}

func TestOptionAlias(t *testing.T) {
	c := newCodec(sofab.Options{Alias: true, Reuse: true})
	data := mustMarshal(t, &item{Free: strings.Repeat("s", 100), Data: []byte("blob")})
	in := func(p *byte) bool {
		return uintptr(unsafe.Pointer(p))-uintptr(unsafe.Pointer(&data[0])) < uintptr(len(data))
	}
	var got item
	if err := c.Unmarshal(data, &got); err != nil {
		t.Fatal(err)
	}
	if !in(unsafe.StringData(got.Free)) || !in(&got.Data[0]) {
		t.Error("strings and blobs do not point into the input")
	}
	if cap(got.Data) != len(got.Data) {
		t.Error("an append to a blob writes into the input")
	}
	// A later decode into the same value must not write where the first one points to.
	before := bytes.Clone(data)
	for _, decode := range codecDecodes(c) {
		if err := decode(mustMarshal(t, &item{Data: []byte("xxxx")}), &got); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(data, before) {
			t.Fatal("the input was overwritten")
		}
		if err := c.Unmarshal(data, &got); err != nil {
			t.Fatal(err)
		}
	}
}

// TestOptionReuse: slices keep their memory, at every level, and nothing of what was in
// them.
func TestOptionReuse(t *testing.T) {
	type inner struct {
		B []byte   `sofab:"1"`
		N []uint32 `sofab:"2"`
		S string   `sofab:"3"`
		D int8     `sofab:"4,default=5"`
	}
	type outer struct {
		N []uint64 `sofab:"1"`
		L []inner  `sofab:"2"`
		B []byte   `sofab:"3"`
		I inner    `sofab:"4"`
		D []uint16 `sofab:"5,default='[7,9]'"`
		P []uint16 `sofab:"6,presence"`
	}
	c := newCodec(sofab.Options{Reuse: true})
	full := inner{B: []byte("abc"), N: []uint32{1, 2}, S: "s", D: 1}
	values := []outer{
		{N: []uint64{1, 2, 3}, L: []inner{full, full, full}, B: []byte("blob"), I: full, D: []uint16{1}, P: []uint16{1}},
		{D: []uint16{7, 9}, I: inner{D: 5}},
		{N: []uint64{9}, L: []inner{{D: 5}, {N: []uint32{7}, D: 5}}, B: []byte("b"), I: inner{B: []byte{1}, D: 5}, D: []uint16{7, 9}, P: []uint16{}},
		{L: []inner{{D: 5}, {D: 5}, {D: 5}}, D: []uint16{7, 9}, I: inner{D: 5}},
	}
	for way, decode := range codecDecodes(c) {
		var got outer
		for round := range 2 {
			for i, want := range values {
				old := got
				if err := decode(mustMarshal(t, &want), &got); err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(mustMarshal(t, &want), mustMarshal(t, &got)); diff != "" {
					t.Errorf("way %d, value %d (-want +got):\n%s", way, i, diff)
				}
				if (got.P == nil) != (want.P == nil) {
					t.Errorf("way %d, value %d: presence of P: %v", way, i, got.P)
				}
				if round == 0 {
					continue
				}
				if cap(got.N) < 3 || cap(got.L) < 3 || cap(got.B) < 4 || cap(got.I.N) < 2 || cap(got.I.B) < 3 {
					t.Errorf("way %d, value %d: memory is lost: %+v", way, i, got)
				}
				if unsafe.SliceData(old.N) != unsafe.SliceData(got.N) || unsafe.SliceData(old.L) != unsafe.SliceData(got.L) {
					t.Errorf("way %d, value %d: memory is new", way, i)
				}
			}
		}
	}
	// Without the option, absent is nil.
	var got outer
	for _, v := range values[:2] {
		if err := sofab.Unmarshal(mustMarshal(t, &v), &got); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(values[1], got); diff != "" {
		t.Error(diff)
	}
}

// TestCodecIsConcurrent: one codec, many goroutines, first use included.
func TestCodecIsConcurrent(t *testing.T) {
	c := newCodec(sofab.Options{Strict: true, Reuse: true})
	data := mustMarshal(t, &itemValue)
	var group sync.WaitGroup
	errs := make(chan error, 32)
	for range cap(errs) {
		group.Add(1)
		go func() {
			defer group.Done()
			var got item
			for range 20 {
				var b bytes.Buffer
				err := errors.Join(c.Unmarshal(data, &got), c.NewEncoder(&b).Encode(&got), c.NewDecoder(&b).Decode(&got))
				if err == nil && !cmp.Equal(got, itemValue) {
					err = errors.New(cmp.Diff(itemValue, got))
				}
				if err != nil {
					errs <- err
					return
				}
			}
		}()
	}
	group.Wait()
	close(errs)
	for err := range errs {
		t.Error(err)
	}
}
