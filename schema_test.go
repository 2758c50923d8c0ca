package sofab_test

// The schemas of FORMAT sections 9.2 and 12 as Go structs.

// demo is the schema of the worked examples in FORMAT section 12.
type demo struct {
	A  uint8       `sofab:"0"`
	B  int8        `sofab:"1"`
	C  uint32      `sofab:"2,default=7"`
	D  bool        `sofab:"3"`
	F  float32     `sofab:"4"`
	G  float64     `sofab:"5"`
	S  string      `sofab:"6,maxlen=8"`
	X  []byte      `sofab:"7,maxlen=8"`
	UA []uint8     `sofab:"8,array,count=4"`
	IA []int16     `sofab:"9,count=300"`
	FA []float32   `sofab:"10,count=3"`
	DA []uint32    `sofab:"11,count=4,default='[7,9]'"`
	SA []string    `sofab:"12,count=4,elem.maxlen=8"`
	OA []demoItem  `sofab:"13,count=4"`
	ST demoStruct  `sofab:"14"`
	UN demoUnion   `sofab:"15"`
	MX [][]uint32  `sofab:"16,count=3,elem.count=4"`
	MS [][]string  `sofab:"17,count=3,elem.count=3,elem.elem.maxlen=8"`
	EN demoEnum    `sofab:"18,enum"`
	BF demoBits    `sofab:"19,bits=0|1|9"`
	BA []bool      `sofab:"20,count=8"`
	EA []demoEnum  `sofab:"21,count=4"`
	UL uint64      `sofab:"22"`
	IL int64       `sofab:"23"`
	XA [][]byte    `sofab:"24,count=3,elem.maxlen=8"`
	VA []demoValue `sofab:"25,count=3"`
}

type demoItem struct {
	K uint32 `sofab:"0"`
	V string `sofab:"1,maxlen=8"`
}

type demoStruct struct {
	P uint8     `sofab:"0"`
	Q string    `sofab:"1,maxlen=8"`
	R demoInner `sofab:"2"`
}

type demoInner struct {
	W int32 `sofab:"0"`
}

// demoUnion holds its options side by side: FORMAT 3.8 keeps every option
// that arrives, which a struct tagged union does not.
type demoUnion struct {
	I uint16 `sofab:"0"`
	T string `sofab:"1,maxlen=8"`
}

type demoValue struct {
	I int32  `sofab:"0"`
	T string `sofab:"1,maxlen=8"`
}

// demoEnum has the members 0, 1 and -2.
type demoEnum int32

// demoBits declares the flags 0, 1 and 9.
type demoBits uint64

// probe is the schema of the differential-fuzz corpus, FORMAT 9.2.
type probe struct {
	U8      uint8       `sofab:"0"`
	I8      int8        `sofab:"1"`
	U16     uint16      `sofab:"2"`
	I16     int16       `sofab:"3"`
	U32     uint32      `sofab:"4"`
	I32     int32       `sofab:"5"`
	U64     uint64      `sofab:"6"`
	I64     int64       `sofab:"7"`
	Nested  probeNested `sofab:"10"`
	Arrays  probeArrays `sofab:"100"`
	Strings []string    `sofab:"200,count=5,elem.maxlen=64"`
	Blobs   [][]byte    `sofab:"201,count=5,elem.maxlen=64"`
	Structs []probeItem `sofab:"202,count=5"`
}

type probeNested struct {
	F32  float32 `sofab:"0"`
	F64  float64 `sofab:"1"`
	Str  string  `sofab:"2,maxlen=32"`
	Blob []byte  `sofab:"3,maxlen=4"`
}

type probeArrays struct {
	U8     []uint8     `sofab:"0,array,count=5"`
	I8     []int8      `sofab:"1,count=5"`
	U16    []uint16    `sofab:"2,count=5"`
	I16    []int16     `sofab:"3,count=5"`
	U32    []uint32    `sofab:"4,count=5"`
	I32    []int32     `sofab:"5,count=5"`
	U64    []uint64    `sofab:"6,count=5"`
	I64    []int64     `sofab:"7,count=5"`
	Floats probeFloats `sofab:"10"`
}

type probeFloats struct {
	F32 []float32 `sofab:"0,count=5"`
	F64 []float64 `sofab:"1,count=5"`
}

type probeItem struct {
	K uint32 `sofab:"0"`
	V string `sofab:"1,maxlen=16"`
}

// probeUnion is the union schema of the corpus; its union is a plain struct
// for the reason given at demoUnion.
type probeUnion struct {
	Before uint32    `sofab:"0"`
	Union  probeArms `sofab:"1"`
	After  uint8     `sofab:"2"`
}

type probeArms struct {
	U16  uint16 `sofab:"0"`
	I32  int32  `sofab:"1"`
	Str  string `sofab:"2,maxlen=16"`
	Blob []byte `sofab:"3,maxlen=8"`
}

// probeDyn is the limit schema of the corpus: nothing in it is bounded.
type probeDyn struct {
	Array     []uint32 `sofab:"0"`
	Str       string   `sofab:"1"`
	Blob      []byte   `sofab:"2"`
	Defaulted []uint32 `sofab:"3,default='[7,9]'"`
}

// schemaless declares no field: every field of a message is unknown to it, so
// its verdict is that of the framing alone.
type schemaless struct{}
