// Package bench has the benchmarks of growth: what one field, element or level costs
// must not depend on how many there are. The comparison with others is in duel.
package bench

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"reflect"
	"sync"
	"testing"

	"github.com/sofab-go/sofab"
	"github.com/sofab-go/sofab/bench/data"
)

// perUnit reports the time of an operation divided by the number of its parts.
func perUnit(b *testing.B, n int, unit string) {
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/"+unit)
}

// bothWays measures MarshalAppend into a reused buffer and Unmarshal into a fresh value
// of a message with n parts.
func bothWays(b *testing.B, v any, n int, unit string) {
	message, err := sofab.Marshal(v)
	if err != nil {
		b.Fatal(err)
	}
	typ := reflect.TypeOf(v).Elem()
	b.Run(fmt.Sprintf("append/%d", n), func(b *testing.B) {
		buf := make([]byte, 0, len(message))
		b.ReportAllocs()
		for b.Loop() {
			if buf, err = sofab.MarshalAppend(buf[:0], v); err != nil {
				b.Fatal(err)
			}
		}
		perUnit(b, n, unit)
	})
	b.Run(fmt.Sprintf("decode/%d", n), func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if err := sofab.Unmarshal(message, reflect.New(typ).Interface()); err != nil {
				b.Fatal(err)
			}
		}
		perUnit(b, n, unit)
	})
}

func BenchmarkFields(b *testing.B) {
	for _, n := range []int{10, 20, 50, 100, 200} {
		bothWays(b, structOf(n, 0).Interface(), n, "field")
	}
}

// structOf is a pointer to a new struct with n fields that are all set, of a type that
// the salt keeps apart from others with as many fields.
func structOf(n, salt int) reflect.Value {
	kinds := []reflect.Type{reflect.TypeFor[uint32](), reflect.TypeFor[int64](), reflect.TypeFor[string](), reflect.TypeFor[float64]()}
	var list []reflect.StructField
	for i := range n {
		list = append(list, reflect.StructField{
			Name: fmt.Sprintf("F%d_%d", salt, i),
			Type: kinds[i%len(kinds)],
			Tag:  reflect.StructTag(fmt.Sprintf(`sofab:"%d"`, i)),
		})
	}
	v := reflect.New(reflect.StructOf(list))
	for i := range n {
		switch f := v.Elem().Field(i); f.Kind() {
		case reflect.Uint32:
			f.SetUint(uint64(1000 + i))
		case reflect.Int64:
			f.SetInt(int64(-1000 - i))
		case reflect.String:
			f.SetString("ten bytes.")
		case reflect.Float64:
			f.SetFloat(float64(i) + 0.5)
		}
	}
	return v
}

func BenchmarkElements(b *testing.B) {
	for _, n := range []int{1e3, 1e4, 1e5, 1e6} {
		r := rand.NewPCG(1, 2)
		list := make([]uint64, n)
		for i := range list {
			list[i] = r.Uint64() >> (r.Uint64() % 64)
		}
		bothWays(b, &data.Integers{Values: list}, n, "element")
	}
}

func BenchmarkStrings(b *testing.B) {
	type list struct {
		Words []string `sofab:"1"`
	}
	for _, n := range []int{1e3, 1e4, 1e5, 1e6} {
		v := list{make([]string, n)}
		for i := range v.Words {
			v.Words[i] = "twelve bytes"
		}
		bothWays(b, &v, n, "element")
	}
}

func BenchmarkStructs(b *testing.B) {
	type list struct {
		Points []data.Inner `sofab:"1"`
	}
	for _, n := range []int{1e3, 1e4, 1e5, 1e6} {
		v := list{make([]data.Inner, n)}
		for i := range v.Points {
			v.Points[i] = data.Inner{Count: uint32(i) + 1, Delta: -1}
		}
		bothWays(b, &v, n, "element")
	}
}

// A level holds the next one.
type level struct {
	Value uint64 `sofab:"1"`
	Next  *level `sofab:"2"`
}

func BenchmarkDepth(b *testing.B) {
	for _, n := range []int{10, 50, 100, 250} {
		v := &level{Value: 1}
		for range n {
			v = &level{Value: 1, Next: v}
		}
		bothWays(b, v, n, "level")
	}
}

// BenchmarkGoroutines divides the work: twice the goroutines need half the time, where
// there are as many processors.
func BenchmarkGoroutines(b *testing.B) {
	w := data.Find("full")
	message, err := sofab.Marshal(w.Value)
	if err != nil {
		b.Fatal(err)
	}
	for _, n := range []int{1, 2} {
		b.Run(fmt.Sprint("marshal/", n), func(b *testing.B) {
			share(b, n, func() error {
				_, err := sofab.Marshal(w.Value)
				return err
			})
		})
		b.Run(fmt.Sprint("unmarshal/", n), func(b *testing.B) {
			share(b, n, func() error { return sofab.Unmarshal(message, w.Fresh()) })
		})
	}
}

// share runs f b.N times in n goroutines.
func share(b *testing.B, n int, f func() error) {
	var group sync.WaitGroup
	for i := range n {
		part := b.N / n
		if i == 0 {
			part = b.N - part*(n-1)
		}
		group.Go(func() {
			for range part {
				if err := f(); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	group.Wait()
}

// BenchmarkFirstUse compiles a type of ten fields every time, because a codec knows
// none. The difference to codec is what the type costs.
func BenchmarkFirstUse(b *testing.B) {
	v := structOf(10, 1).Interface()
	message, err := sofab.Marshal(v)
	if err != nil {
		b.Fatal(err)
	}
	first := func(use func(*sofab.Codec) error) func(*testing.B) {
		return func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				codec, err := sofab.Options{}.Codec()
				if err != nil {
					b.Fatal(err)
				}
				if err := use(codec); err != nil {
					b.Fatal(err)
				}
			}
		}
	}
	b.Run("codec", first(func(*sofab.Codec) error { return nil }))
	b.Run("marshal", first(func(c *sofab.Codec) error {
		_, err := c.Marshal(v)
		return err
	}))
	b.Run("unmarshal", first(func(c *sofab.Codec) error { return c.Unmarshal(message, v) }))
}

// A copier is a writer that is as fast as memory.
type copier struct {
	buf []byte
	n   int
}

func (c *copier) Write(p []byte) (int, error) {
	c.n += copy(c.buf[c.n:], p)
	return len(p), nil
}

type hugeValue struct {
	name  string
	value any
}

// hugeValues are values whose messages have about 100 MB.
func hugeValues() []hugeValue {
	type blobs struct {
		Parts [][]byte `sofab:"1"`
	}
	type shelf struct {
		Books []data.Book `sofab:"1"`
	}
	type points struct {
		Points []data.Inner `sofab:"1"`
	}
	type texts struct {
		Words []string `sofab:"1"`
	}
	parts, books := make([][]byte, 100), make([]data.Book, 2700)
	for i := range parts {
		parts[i] = bytes.Repeat([]byte{byte(i)}, 1<<20)
	}
	book := data.FirstOrders(100)
	for i := range books {
		books[i] = book
	}
	list, numbers, words := make([]data.Inner, 9e6), make([]uint64, 17e6), make([]string, 6e6)
	for i := range list {
		list[i] = data.Inner{Count: uint32(i) + 1, Delta: -1}
	}
	for i := range numbers {
		numbers[i] = uint64(i) << 14
	}
	for i := range words {
		words[i] = "twelve bytes"
	}
	return []hugeValue{
		{"blobs", &blobs{parts}}, {"orders", &shelf{books}}, {"structs", &points{list}},
		{"numbers", &data.Integers{Values: numbers}}, {"strings", &texts{words}},
	}
}

// BenchmarkHuge encodes values of about 100 MB at once, and as a stream into memory: some
// that is used again, and some that is as fresh as the result of Marshal.
func BenchmarkHuge(b *testing.B) {
	for _, huge := range hugeValues() {
		value := huge.value
		size, err := sofab.Size(value)
		if err != nil {
			b.Fatal(err)
		}
		run := func(kind string, encode func() error) {
			b.Run(huge.name+"/"+kind, func(b *testing.B) {
				b.SetBytes(int64(size))
				b.ReportAllocs()
				for b.Loop() {
					if err := encode(); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(size), "wire-bytes")
			})
		}
		run("marshal", func() error {
			_, err := sofab.Marshal(value)
			return err
		})
		w := &copier{buf: make([]byte, size)}
		run("write", func() error {
			w.n = 0
			return sofab.MarshalWrite(w, value)
		})
		run("write-fresh", func() error {
			return sofab.MarshalWrite(&copier{buf: make([]byte, size)}, value)
		})
	}
}
