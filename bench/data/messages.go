package data

// Full is the arena message of the format family.
type Full struct {
	U8      uint8      `sofab:"0" msg:"0" msgpack:"0" cbor:"0,keyasint"`
	I8      int8       `sofab:"1" msg:"1" msgpack:"1" cbor:"1,keyasint"`
	U16     uint16     `sofab:"2" msg:"2" msgpack:"2" cbor:"2,keyasint"`
	I16     int16      `sofab:"3" msg:"3" msgpack:"3" cbor:"3,keyasint"`
	U32     uint32     `sofab:"4" msg:"4" msgpack:"4" cbor:"4,keyasint"`
	I32     int32      `sofab:"5" msg:"5" msgpack:"5" cbor:"5,keyasint"`
	U64     uint64     `sofab:"6" msg:"6" msgpack:"6" cbor:"6,keyasint"`
	I64     int64      `sofab:"7" msg:"7" msgpack:"7" cbor:"7,keyasint"`
	Fixlen  FullFixlen `sofab:"10" msg:"10" msgpack:"10" cbor:"10,keyasint"`
	Arrays  FullArrays `sofab:"100" msg:"100" msgpack:"100" cbor:"100,keyasint"`
	Strings []string   `sofab:"200,count=5,elem.maxlen=64" msg:"200" msgpack:"200" cbor:"200,keyasint"`
}

type FullFixlen struct {
	F32  float32 `sofab:"0" msg:"0" msgpack:"0" cbor:"0,keyasint"`
	F64  float64 `sofab:"1" msg:"1" msgpack:"1" cbor:"1,keyasint"`
	Text string  `sofab:"2,maxlen=32" msg:"2" msgpack:"2" cbor:"2,keyasint"`
	Blob []byte  `sofab:"3,maxlen=4" msg:"3" msgpack:"3" cbor:"3,keyasint"`
}

type FullArrays struct {
	U8     []uint8    `sofab:"0,array,count=5" msg:"0" msgpack:"0" cbor:"0,keyasint"`
	I8     []int8     `sofab:"1,count=5" msg:"1" msgpack:"1" cbor:"1,keyasint"`
	U16    []uint16   `sofab:"2,count=5" msg:"2" msgpack:"2" cbor:"2,keyasint"`
	I16    []int16    `sofab:"3,count=5" msg:"3" msgpack:"3" cbor:"3,keyasint"`
	U32    []uint32   `sofab:"4,count=5" msg:"4" msgpack:"4" cbor:"4,keyasint"`
	I32    []int32    `sofab:"5,count=5" msg:"5" msgpack:"5" cbor:"5,keyasint"`
	U64    []uint64   `sofab:"6,count=5" msg:"6" msgpack:"6" cbor:"6,keyasint"`
	I64    []int64    `sofab:"7,count=5" msg:"7" msgpack:"7" cbor:"7,keyasint"`
	Floats FullFloats `sofab:"10" msg:"10" msgpack:"10" cbor:"10,keyasint"`
}

type FullFloats struct {
	F32 []float32 `sofab:"0,count=5" msg:"0" msgpack:"0" cbor:"0,keyasint"`
	F64 []float64 `sofab:"1,count=5" msg:"1" msgpack:"1" cbor:"1,keyasint"`
}

// Typical is a short message of seven fields.
type Typical struct {
	Serial uint32   `sofab:"1" msg:"1" msgpack:"1" cbor:"1,keyasint"`
	Offset int32    `sofab:"2" msg:"2" msgpack:"2" cbor:"2,keyasint"`
	Active bool     `sofab:"3" msg:"3" msgpack:"3" cbor:"3,keyasint"`
	Ratio  float32  `sofab:"4" msg:"4" msgpack:"4" cbor:"4,keyasint"`
	Name   string   `sofab:"5" msg:"5" msgpack:"5" cbor:"5,keyasint"`
	Levels []uint16 `sofab:"6" msg:"6" msgpack:"6" cbor:"6,keyasint"`
	Inner  Inner    `sofab:"7" msg:"7" msgpack:"7" cbor:"7,keyasint"`
}

type Inner struct {
	Count uint32 `sofab:"1" msg:"1" msgpack:"1" cbor:"1,keyasint"`
	Delta int32  `sofab:"2" msg:"2" msgpack:"2" cbor:"2,keyasint"`
}

// Perf12 has one field of each common kind.
type Perf12 struct {
	U32    uint32    `sofab:"1" msg:"1" msgpack:"1" cbor:"1,keyasint"`
	I32    int32     `sofab:"2" msg:"2" msgpack:"2" cbor:"2,keyasint"`
	U64    uint64    `sofab:"3" msg:"3" msgpack:"3" cbor:"3,keyasint"`
	I64    int64     `sofab:"4" msg:"4" msgpack:"4" cbor:"4,keyasint"`
	Bool   bool      `sofab:"5" msg:"5" msgpack:"5" cbor:"5,keyasint"`
	F32    float32   `sofab:"6" msg:"6" msgpack:"6" cbor:"6,keyasint"`
	F64    float64   `sofab:"7" msg:"7" msgpack:"7" cbor:"7,keyasint"`
	Text   string    `sofab:"8" msg:"8" msgpack:"8" cbor:"8,keyasint"`
	U32s   []uint32  `sofab:"9" msg:"9" msgpack:"9" cbor:"9,keyasint"`
	I32s   []int32   `sofab:"10" msg:"10" msgpack:"10" cbor:"10,keyasint"`
	F64s   []float64 `sofab:"11" msg:"11" msgpack:"11" cbor:"11,keyasint"`
	Nested Inner     `sofab:"12" msg:"12" msgpack:"12" cbor:"12,keyasint"`
}

// Integers is one array of varints of all lengths.
type Integers struct {
	Values []uint64 `sofab:"1" msg:"1" msgpack:"1" cbor:"1,keyasint"`
}

// Composite has nested sequences and lists of strings beyond ASCII.
type Composite struct {
	Title   string    `sofab:"1" msg:"1" msgpack:"1" cbor:"1,keyasint"`
	Chapter []Chapter `sofab:"2" msg:"2" msgpack:"2" cbor:"2,keyasint"`
	Matrix  [][]int32 `sofab:"3" msg:"3" msgpack:"3" cbor:"3,keyasint"`
	Deep    Level1    `sofab:"4" msg:"4" msgpack:"4" cbor:"4,keyasint"`
}

type Chapter struct {
	Name  string   `sofab:"1" msg:"1" msgpack:"1" cbor:"1,keyasint"`
	Words []string `sofab:"2" msg:"2" msgpack:"2" cbor:"2,keyasint"`
	Pages uint16   `sofab:"3" msg:"3" msgpack:"3" cbor:"3,keyasint"`
}

type Level1 struct {
	Level Level2 `sofab:"1" msg:"1" msgpack:"1" cbor:"1,keyasint"`
	Label string `sofab:"2" msg:"2" msgpack:"2" cbor:"2,keyasint"`
}

type Level2 struct {
	Level Level3  `sofab:"1" msg:"1" msgpack:"1" cbor:"1,keyasint"`
	Codes []int64 `sofab:"2" msg:"2" msgpack:"2" cbor:"2,keyasint"`
}

type Level3 struct {
	Names []string `sofab:"1" msg:"1" msgpack:"1" cbor:"1,keyasint"`
	Value float64  `sofab:"2" msg:"2" msgpack:"2" cbor:"2,keyasint"`
}

// Small has six flat fields.
type Small struct {
	ID      uint64  `sofab:"1" msg:"1" msgpack:"1" cbor:"1,keyasint"`
	Action  string  `sofab:"2" msg:"2" msgpack:"2" cbor:"2,keyasint"`
	User    string  `sofab:"3" msg:"3" msgpack:"3" cbor:"3,keyasint"`
	At      int64   `sofab:"4" msg:"4" msgpack:"4" cbor:"4,keyasint"`
	Granted bool    `sofab:"5" msg:"5" msgpack:"5" cbor:"5,keyasint"`
	Seconds float64 `sofab:"6" msg:"6" msgpack:"6" cbor:"6,keyasint"`
}

// Blob is one large string of bytes.
type Blob struct {
	Data []byte `sofab:"1" msg:"1" msgpack:"1" cbor:"1,keyasint"`
}
