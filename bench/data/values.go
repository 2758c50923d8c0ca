package data

import (
	"bytes"
	"encoding/json"
	"math"
	"math/rand/v2"

	"github.com/sofab-go/sofab/testdata"
)

// A Workload is one message that is measured.
type Workload struct {
	Name  string
	Value any        // pointer to a struct of this package
	Fresh func() any // a new zero value of the same type
	Size  int        // bytes on the SofaBuffers wire
}

// Workloads are all of them.
var Workloads = []Workload{
	workload("full", 434, fullValue),
	workload("typical", 37, typicalValue),
	workload("perf12", 170, perf12Value),
	workload("u64x1000", 9491, Integers{repeatingIntegers(1000)}),
	workload("random1e5", 493065, Integers{randomIntegers(100_000)}),
	workload("composite", 960, compositeValue),
	workload("small", 55, smallValue),
	workload("orders", 37764, FirstOrders(100)),
	workload("wide", 914, wideValue),
	workload("blob1MB", 1000005, Blob{bytes.Repeat([]byte("sofab"), 200_000)}),
}

func workload[T any](name string, size int, value T) Workload {
	return Workload{name, &value, func() any { return new(T) }, size}
}

// Find is the workload of that name, or nil.
func Find(name string) *Workload {
	for i := range Workloads {
		if Workloads[i].Name == name {
			return &Workloads[i]
		}
	}
	return nil
}

var fullValue = Full{
	U8: 200, I8: -100,
	U16: 50000, I16: -20000,
	U32: 3000000000, I32: -1000000000,
	U64: 10000000000000, I64: -5000000000000,
	Fixlen: FullFixlen{
		F32:  3.1400001,
		F64:  3.14159265,
		Text: "Hello, World!",
		Blob: []byte{0xDE, 0xAD, 0xBE, 0xEF},
	},
	Arrays: FullArrays{
		U8:  []uint8{0, 64, 128, 191, 255},
		I8:  []int8{-128, -64, 0, 63, 127},
		U16: []uint16{0, 16384, 32768, 49151, 65535},
		I16: []int16{-32768, -16384, 0, 16383, 32767},
		U32: []uint32{0, 1073741824, 2147483648, 3221225471, 4294967295},
		I32: []int32{-2147483648, -1073741824, 0, 1073741823, 2147483647},
		U64: []uint64{0, 4611686018427387904, 9223372036854775808, 13835058055282163711, 18446744073709551615},
		I64: []int64{-9223372036854775807, -4611686018427387904, 0, 4611686018427387903, 9223372036854775807},
		Floats: FullFloats{
			F32: []float32{1, 2, 3, -math.MaxFloat32, math.MaxFloat32},
			F64: []float64{1, 2, 3, -math.MaxFloat64, math.MaxFloat64},
		},
	},
	Strings: []string{
		"Hello, Sofab!", "", "1234567890", "äöüÄÖÜß",
		"This_is_a_very_long_test_string_with_!@#$%^&*()_+-=[]{}",
	},
}

var typicalValue = Typical{
	Serial: 0xDEADBEEF,
	Offset: -12345,
	Active: true,
	Ratio:  3.14159,
	Name:   "sofab",
	Levels: []uint16{10, 20, 30, 40},
	Inner:  Inner{99, -7},
}

var perf12Value = Perf12{
	U32:    0xDEADBEEF,
	I32:    -12345,
	U64:    0x0123456789ABCDEF,
	I64:    -5000000000000,
	Bool:   true,
	F32:    3.14159,
	F64:    2.718281828459045,
	Text:   "perf-benchmark-message",
	U32s:   []uint32{1e6, 2e6, 3e6, 4e6, 5e6, 6e6, 7e6, 8e6},
	I32s:   []int32{-1e5, -2e5, -3e5, -4e5, -5e5, -6e5, -7e5, -8e5},
	F64s:   []float64{3.14159265, 6.28318530, 9.42477795, 12.56637060},
	Nested: Inner{99, -7},
}

var compositeValue = Composite{
	Title: "Wörterbuch der Küchengeräusche",
	Chapter: []Chapter{
		{"Ελληνικά", []string{"καλημέρα", "θάλασσα", "ελευθερία", "γλώσσα", "ουρανός", "φεγγάρι", "πορτοκάλι"}, 12},
		{"日本語", []string{"こんにちは", "海", "自由", "言葉", "青空", "三日月", "蜜柑", "ありがとう"}, 34},
		{"Русский", []string{"доброе утро", "море", "свобода", "язык", "небо", "полумесяц", "апельсин"}, 56},
		{"العربية", []string{"صباح الخير", "بحر", "حرية", "لغة", "سماء", "هلال", "برتقال"}, 78},
		{"Emoji", []string{"🌅", "🌊", "🕊️", "💬", "☁️", "🌙", "🍊", "👩‍🍳"}, 90},
		{"हिन्दी", []string{"सुप्रभात", "समुद्र", "स्वतंत्रता", "भाषा", "आकाश", "नारंगी"}, 101},
		{"Íslenska", []string{"góðan daginn", "sjór", "frelsi", "tungumál", "himinn", "tungl", "appelsína"}, 112},
	},
	Matrix: [][]int32{{1, -2, 3}, {-40, 50, -60}, {700, -800, 900}, {-10000, 20000, -30000}},
	Deep: Level1{
		Level: Level2{
			Level: Level3{[]string{"Straße", "Ärger", "Öl", "Übung"}, 0.125},
			Codes: []int64{-1, 1 << 20, -1 << 40},
		},
		Label: "größter gemeinsamer Teiler",
	},
}

var smallValue = Small{7300421, "orders.create", "Katharina Weiß", 1788249600, true, 0.0173}

// repeatingIntegers gives the same lengths in every iteration: a branch
// predictor learns them.
func repeatingIntegers(n int) []uint64 {
	list := make([]uint64, n)
	for i := range list {
		list[i] = uint64(i) * 0x9E3779B97F4A7C15
	}
	return list
}

// randomIntegers gives lengths that nothing can predict, 1 to 64 bits.
func randomIntegers(n int) []uint64 {
	r := rand.NewPCG(1, 2)
	list := make([]uint64, n)
	for i := range list {
		list[i] = r.Uint64() >> (r.Uint64() % 64)
	}
	return list
}

// FirstOrders is an order book with the first n orders of testdata.
func FirstOrders(n int) Book {
	dec := json.NewDecoder(bytes.NewReader(testdata.Orders))
	dec.DisallowUnknownFields()
	var book Book
	if err := dec.Decode(&book); err != nil {
		panic("testdata/orders.json: " + err.Error())
	}
	book.Orders = book.Orders[:n:n]
	return book
}
