package sofab_test

import (
	"encoding/json"
	"testing"

	"github.com/sofab-go/sofab"
)

// benchmark runs f once per workload. MB/s are bytes on the SofaBuffers wire,
// also for JSON, so that the figures of one workload can be compared.
func benchmark(b *testing.B, f func(b *testing.B, w workload)) {
	for _, w := range workloads {
		b.Run(w.name, func(b *testing.B) {
			b.SetBytes(int64(w.size))
			b.ReportAllocs()
			f(b, w)
		})
	}
}

func BenchmarkMarshal(b *testing.B) {
	benchmark(b, func(b *testing.B, w workload) {
		for b.Loop() {
			if _, err := sofab.Marshal(w.value); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkMarshalAppend(b *testing.B) {
	benchmark(b, func(b *testing.B, w workload) {
		buf := make([]byte, 0, w.size)
		for b.Loop() {
			var err error
			if buf, err = sofab.MarshalAppend(buf[:0], w.value); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkSize(b *testing.B) {
	benchmark(b, func(b *testing.B, w workload) {
		for b.Loop() {
			if _, err := sofab.Size(w.value); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkUnmarshal decodes into a fresh destination each time; its allocation is counted.
func BenchmarkUnmarshal(b *testing.B) {
	benchmark(b, func(b *testing.B, w workload) {
		data, err := sofab.Marshal(w.value)
		if err != nil {
			b.Fatal(err)
		}
		for b.Loop() {
			if err := sofab.Unmarshal(data, w.fresh()); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkValid(b *testing.B) {
	benchmark(b, func(b *testing.B, w workload) {
		data, err := sofab.Marshal(w.value)
		if err != nil {
			b.Fatal(err)
		}
		for b.Loop() {
			if !sofab.Valid(data) {
				b.Fatal("not valid")
			}
		}
	})
}

// BenchmarkJSON does with encoding/json what BenchmarkMarshal and BenchmarkUnmarshal do.
func BenchmarkJSON(b *testing.B) {
	b.Run("Marshal", func(b *testing.B) {
		benchmark(b, func(b *testing.B, w workload) {
			for b.Loop() {
				if _, err := json.Marshal(w.value); err != nil {
					b.Fatal(err)
				}
			}
		})
	})
	b.Run("Unmarshal", func(b *testing.B) {
		benchmark(b, func(b *testing.B, w workload) {
			data, err := json.Marshal(w.value)
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				if err := json.Unmarshal(data, w.fresh()); err != nil {
					b.Fatal(err)
				}
			}
		})
	})
}
