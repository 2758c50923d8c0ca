package sofab_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/sofab-go/sofab"
	"github.com/sofab-go/sofab/testdata"
)

// A workload is one message that the benchmarks measure.
type workload struct {
	name  string
	value any        // pointer to a struct
	fresh func() any // a new zero value of the same type
	size  int        // bytes on the wire
}

func newWorkload[T any](name string, size int, value T) workload {
	return workload{name, &value, func() any { return new(T) }, size}
}

var workloads = []workload{
	newWorkload("full", 434, fullValue),
	newWorkload("typical", 37, typicalValue),
	newWorkload("perf12", 170, perf12Value),
	newWorkload("u64x1000", 9491, integerList{repeatingIntegers(1000)}),
	newWorkload("random1e5", 493065, integerList{randomIntegers(100_000)}),
	newWorkload("composite", 960, compositeValue),
	newWorkload("small", 55, smallValue),
	newWorkload("orders", 37764, firstOrders(100)),
	wideWorkload("wide", 200, 914),
	newWorkload("blob1MB", 1000005, blob{bytes.Repeat([]byte("sofab"), 200_000)}),
}

// TestWorkloadSizes guards the benchmarks: the bytes they are about, and that
// what they decode is what was encoded.
func TestWorkloadSizes(t *testing.T) {
	for _, w := range workloads {
		t.Run(w.name, func(t *testing.T) {
			data, err := sofab.Marshal(w.value)
			if err != nil {
				t.Fatal(err)
			}
			if len(data) != w.size {
				t.Errorf("Marshal gives %d bytes, want %d", len(data), w.size)
			}
			if n, err := sofab.Size(w.value); n != len(data) || err != nil {
				t.Errorf("Size = %d, %v, want %d", n, err, len(data))
			}
			got := w.fresh()
			if err := sofab.Unmarshal(data, got); err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(got, w.value) {
				t.Error("the value decoded differs from the one encoded")
			}
		})
	}
}

// full is the arena message of the format family with all fields set.

type fullMessage struct {
	U8      uint8        `sofab:"0"`
	I8      int8         `sofab:"1"`
	U16     uint16       `sofab:"2"`
	I16     int16        `sofab:"3"`
	U32     uint32       `sofab:"4"`
	I32     int32        `sofab:"5"`
	U64     uint64       `sofab:"6"`
	I64     int64        `sofab:"7"`
	Fixlen  fullFixlen   `sofab:"10"`
	Arrays  fullIntegers `sofab:"100"`
	Strings []string     `sofab:"200,count=5,elem.maxlen=64"`
}

type fullFixlen struct {
	F32  float32 `sofab:"0"`
	F64  float64 `sofab:"1"`
	Text string  `sofab:"2,maxlen=32"`
	Blob []byte  `sofab:"3,maxlen=4"`
}

type fullIntegers struct {
	U8     []uint8    `sofab:"0,array,count=5"`
	I8     []int8     `sofab:"1,count=5"`
	U16    []uint16   `sofab:"2,count=5"`
	I16    []int16    `sofab:"3,count=5"`
	U32    []uint32   `sofab:"4,count=5"`
	I32    []int32    `sofab:"5,count=5"`
	U64    []uint64   `sofab:"6,count=5"`
	I64    []int64    `sofab:"7,count=5"`
	Floats fullFloats `sofab:"10"`
}

type fullFloats struct {
	F32 []float32 `sofab:"0,count=5"`
	F64 []float64 `sofab:"1,count=5"`
}

var fullValue = fullMessage{
	U8: 200, I8: -100,
	U16: 50000, I16: -20000,
	U32: 3000000000, I32: -1000000000,
	U64: 10000000000000, I64: -5000000000000,
	Fixlen: fullFixlen{
		F32:  3.1400001,
		F64:  3.14159265,
		Text: "Hello, World!",
		Blob: []byte{0xDE, 0xAD, 0xBE, 0xEF},
	},
	Arrays: fullIntegers{
		U8:  []uint8{0, 64, 128, 191, 255},
		I8:  []int8{-128, -64, 0, 63, 127},
		U16: []uint16{0, 16384, 32768, 49151, 65535},
		I16: []int16{-32768, -16384, 0, 16383, 32767},
		U32: []uint32{0, 1073741824, 2147483648, 3221225471, 4294967295},
		I32: []int32{-2147483648, -1073741824, 0, 1073741823, 2147483647},
		U64: []uint64{0, 4611686018427387904, 9223372036854775808, 13835058055282163711, 18446744073709551615},
		I64: []int64{-9223372036854775807, -4611686018427387904, 0, 4611686018427387903, 9223372036854775807},
		Floats: fullFloats{
			F32: []float32{1, 2, 3, -math.MaxFloat32, math.MaxFloat32},
			F64: []float64{1, 2, 3, -math.MaxFloat64, math.MaxFloat64},
		},
	},
	Strings: []string{
		"Hello, Sofab!", "", "1234567890", "äöüÄÖÜß",
		"This_is_a_very_long_test_string_with_!@#$%^&*()_+-=[]{}",
	},
}

type typicalMessage struct {
	Serial uint32      `sofab:"1"`
	Offset int32       `sofab:"2"`
	Active bool        `sofab:"3"`
	Ratio  float32     `sofab:"4"`
	Name   string      `sofab:"5"`
	Levels []uint16    `sofab:"6"`
	Inner  innerFields `sofab:"7"`
}

type innerFields struct {
	Count uint32 `sofab:"1"`
	Delta int32  `sofab:"2"`
}

var typicalValue = typicalMessage{
	Serial: 0xDEADBEEF,
	Offset: -12345,
	Active: true,
	Ratio:  3.14159,
	Name:   "sofab",
	Levels: []uint16{10, 20, 30, 40},
	Inner:  innerFields{99, -7},
}

type perf12Message struct {
	U32    uint32      `sofab:"1"`
	I32    int32       `sofab:"2"`
	U64    uint64      `sofab:"3"`
	I64    int64       `sofab:"4"`
	Bool   bool        `sofab:"5"`
	F32    float32     `sofab:"6"`
	F64    float64     `sofab:"7"`
	Text   string      `sofab:"8"`
	U32s   []uint32    `sofab:"9"`
	I32s   []int32     `sofab:"10"`
	F64s   []float64   `sofab:"11"`
	Nested innerFields `sofab:"12"`
}

var perf12Value = perf12Message{
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
	Nested: innerFields{99, -7},
}

type integerList struct {
	Values []uint64 `sofab:"1"`
}

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

type compositeMessage struct {
	Title   string             `sofab:"1"`
	Chapter []compositeChapter `sofab:"2"`
	Matrix  [][]int32          `sofab:"3"`
	Deep    compositeLevel1    `sofab:"4"`
}

type compositeChapter struct {
	Name  string   `sofab:"1"`
	Words []string `sofab:"2"`
	Pages uint16   `sofab:"3"`
}

type compositeLevel1 struct {
	Level compositeLevel2 `sofab:"1"`
	Label string          `sofab:"2"`
}

type compositeLevel2 struct {
	Level compositeLevel3 `sofab:"1"`
	Codes []int64         `sofab:"2"`
}

type compositeLevel3 struct {
	Names []string `sofab:"1"`
	Value float64  `sofab:"2"`
}

var compositeValue = compositeMessage{
	Title: "Wörterbuch der Küchengeräusche",
	Chapter: []compositeChapter{
		{"Ελληνικά", []string{"καλημέρα", "θάλασσα", "ελευθερία", "γλώσσα", "ουρανός", "φεγγάρι", "πορτοκάλι"}, 12},
		{"日本語", []string{"こんにちは", "海", "自由", "言葉", "青空", "三日月", "蜜柑", "ありがとう"}, 34},
		{"Русский", []string{"доброе утро", "море", "свобода", "язык", "небо", "полумесяц", "апельсин"}, 56},
		{"العربية", []string{"صباح الخير", "بحر", "حرية", "لغة", "سماء", "هلال", "برتقال"}, 78},
		{"Emoji", []string{"🌅", "🌊", "🕊️", "💬", "☁️", "🌙", "🍊", "👩‍🍳"}, 90},
		{"हिन्दी", []string{"सुप्रभात", "समुद्र", "स्वतंत्रता", "भाषा", "आकाश", "नारंगी"}, 101},
		{"Íslenska", []string{"góðan daginn", "sjór", "frelsi", "tungumál", "himinn", "tungl", "appelsína"}, 112},
	},
	Matrix: [][]int32{{1, -2, 3}, {-40, 50, -60}, {700, -800, 900}, {-10000, 20000, -30000}},
	Deep: compositeLevel1{
		Level: compositeLevel2{
			Level: compositeLevel3{[]string{"Straße", "Ärger", "Öl", "Übung"}, 0.125},
			Codes: []int64{-1, 1 << 20, -1 << 40},
		},
		Label: "größter gemeinsamer Teiler",
	},
}

type smallMessage struct {
	ID      uint64  `sofab:"1"`
	Action  string  `sofab:"2"`
	User    string  `sofab:"3"`
	At      int64   `sofab:"4"`
	Granted bool    `sofab:"5"`
	Seconds float64 `sofab:"6"`
}

var smallValue = smallMessage{7300421, "orders.create", "Katharina Weiß", 1788249600, true, 0.0173}

type blob struct {
	Data []byte `sofab:"1"`
}

// wideWorkload has one struct with n integer fields of all widths.
func wideWorkload(name string, n, size int) workload {
	kinds := []reflect.Type{
		reflect.TypeFor[uint64](), reflect.TypeFor[int64](), reflect.TypeFor[uint32](), reflect.TypeFor[int32](),
		reflect.TypeFor[uint16](), reflect.TypeFor[int16](), reflect.TypeFor[uint8](), reflect.TypeFor[int8](),
	}
	var list []reflect.StructField
	for i := range n {
		list = append(list, reflect.StructField{
			Name: fmt.Sprintf("F%d", i+1),
			Type: kinds[i%len(kinds)],
			Tag:  reflect.StructTag(fmt.Sprintf(`sofab:"%d"`, i+1)),
		})
	}
	typ := reflect.StructOf(list)
	value := reflect.New(typ)
	r := rand.NewPCG(3, 4)
	for i := range n {
		f := value.Elem().Field(i)
		width := f.Type().Bits()
		x := r.Uint64()>>(64-width)>>(r.Uint64()%uint64(width)) | 1
		if f.CanUint() {
			f.SetUint(x)
		} else {
			f.SetInt(int64(x<<(64-width)) >> (64 - width))
		}
	}
	return workload{name, value.Interface(), func() any { return reflect.New(typ).Interface() }, size}
}

// The order book of testdata. The types are those of the demo in cmd/sofab;
// firstOrders refuses a data file that has more than they know, as the demo's test does.

type orderBook struct {
	Store    string      `json:"store" sofab:"1,maxlen=80"`
	Currency string      `json:"currency" sofab:"2,maxlen=3"`
	Exported int64       `json:"exported" sofab:"3"`
	Orders   []bookOrder `json:"orders" sofab:"4,count=10000"`
}

type bookOrder struct {
	ID       uint64       `json:"id" sofab:"1"`
	Number   string       `json:"number" sofab:"2,maxlen=16"`
	Status   bookStatus   `json:"status" sofab:"3,enum=-1|0|1|2|3|4"`
	Placed   int64        `json:"placed" sofab:"4"`
	Shipped  *int64       `json:"shipped,omitempty" sofab:"5"`
	Express  bool         `json:"express,omitempty" sofab:"6"`
	Gift     bool         `json:"gift,omitempty" sofab:"7"`
	Customer bookCustomer `json:"customer" sofab:"8"`
	ShipTo   bookAddress  `json:"ship_to" sofab:"9"`
	BillTo   *bookAddress `json:"bill_to,omitempty" sofab:"10"`
	Items    []bookItem   `json:"items" sofab:"11,count=200"`
	Payment  bookPayment  `json:"payment" sofab:"12"`
	Shipping int64        `json:"shipping,omitempty" sofab:"13"`
	Total    int64        `json:"total" sofab:"14"`
	Note     *string      `json:"note,omitempty" sofab:"15,maxlen=1000"`
	Tags     []string     `json:"tags,omitempty" sofab:"16,count=20,elem.maxlen=40"`
}

type bookStatus int32

type bookCustomer struct {
	ID       uint64  `json:"id" sofab:"1"`
	Name     string  `json:"name" sofab:"2,maxlen=120"`
	Email    string  `json:"email" sofab:"3,maxlen=254"`
	Phone    *string `json:"phone,omitempty" sofab:"4,maxlen=24"`
	Language string  `json:"language" sofab:"5,maxlen=8"`
	Since    int64   `json:"since" sofab:"6"`
	Business bool    `json:"business,omitempty" sofab:"7"`
}

type bookAddress struct {
	Street   string    `json:"street" sofab:"1,maxlen=200"`
	City     string    `json:"city" sofab:"2,maxlen=120"`
	Region   string    `json:"region,omitempty" sofab:"3,maxlen=120"`
	Postcode string    `json:"postcode" sofab:"4,maxlen=12"`
	Country  string    `json:"country" sofab:"5,maxlen=2"`
	Location []float64 `json:"location,omitempty" sofab:"6,count=2"`
}

type bookItem struct {
	SKU      string   `json:"sku" sofab:"1,maxlen=16"`
	Title    string   `json:"title" sofab:"2,maxlen=200"`
	Quantity uint32   `json:"quantity" sofab:"3,default=1"`
	Price    int64    `json:"price" sofab:"4"`
	TaxRate  float64  `json:"tax_rate" sofab:"5"`
	Discount *float64 `json:"discount,omitempty" sofab:"6"`
	Weight   float32  `json:"weight,omitempty" sofab:"7,unit=kg"`
	Options  []string `json:"options,omitempty" sofab:"8,count=16,elem.maxlen=80"`
}

type bookPayment struct {
	Method string  `json:"method" sofab:"1,maxlen=16"`
	Paid   bool    `json:"paid,omitempty" sofab:"2"`
	Last4  *string `json:"last4,omitempty" sofab:"3,maxlen=4"`
}

func firstOrders(n int) orderBook {
	dec := json.NewDecoder(strings.NewReader(string(testdata.Orders)))
	dec.DisallowUnknownFields()
	var book orderBook
	if err := dec.Decode(&book); err != nil {
		panic("testdata/orders.json: " + err.Error())
	}
	book.Orders = book.Orders[:n:n]
	return book
}
