package sofab_test

import (
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/sofab-go/sofab"
)

var update = flag.Bool("update", false, "write the golden files instead of comparing with them")

// A goldenText is an error text with the name of the case that it comes from.
type goldenText struct {
	name string
	err  error
}

// checkGolden compares the texts with the file of that name in testdata/errors.
func checkGolden(t *testing.T, file string, texts []goldenText) {
	t.Helper()
	var b strings.Builder
	for _, g := range texts {
		if g.err == nil {
			t.Errorf("%s: no error", g.name)
			continue
		}
		text := g.err.Error()
		for line := range strings.SplitSeq(text, "\n") {
			if !strings.HasPrefix(line, "sofab: ") || strings.Count(line, "sofab: ") != 1 {
				t.Errorf("%s: the text does not start with \"sofab: \" once: %s", g.name, line)
			}
		}
		b.WriteString("# " + g.name + "\n" + text + "\n")
	}
	path := filepath.Join("testdata", "errors", file)
	if *update {
		if err := os.WriteFile(path, []byte(b.String()), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(b.String(), "\n")); diff != "" {
		t.Errorf("%s (-want +got); go test -run %s -update writes it:\n%s", path, t.Name(), diff)
	}
}

// faultOf is the error of the type that v points to, which must be a TagError or
// several joined, the same from every function.
func faultOf(t *testing.T, v any) error {
	t.Helper()
	err := sofab.Unmarshal(nil, v)
	if err == nil || !errors.As(err, new(*sofab.TagError)) {
		t.Errorf("%T: %v, want a TagError", v, err)
		return err
	}
	checkFault(t, v)
	return err
}

type (
	faultAudit struct {
		B int `sofab:"4"`
	}
	faultOrder struct {
		faultAudit
		Total  int `sofab:"3,maxlne=64"`
		Amount int `sofab:"4"`
		Note   string
		Tags   []string   `sofab:"5,elem.count=3"`
		Rows   []faultRow `sofab:"6"`
		Lost   chan int   `sofab:"7"`
	}
	faultRow struct {
		ID   string      `sofab:"1,u8"`
		Next *faultOrder `sofab:"2"`
	}
	faultType struct {
		_ struct{} `sofab:"1,name=Order"`
		_ struct{} `sofab:",maxlen=3"`
		_ struct{} `sofab:",maxsize=3"`
		_ struct{} `sofab:",maxsize=4"`
		A int      `sofab:"1"`
	}
	faultUnexported struct {
		a int `sofab:"1"`
	}
	faultSync struct {
		N atomic.Int64 `sofab:"1"`
	}
)

func TestTagFaults(t *testing.T) {
	type (
		idSyntax struct {
			A int `sofab:""`
			B int `sofab:"08"`
			C int `sofab:"+1"`
			D int `sofab:" 1"`
			E int `sofab:"2147483648"`
			F int `sofab:"total"`
			G int `sofab:"maxlen=4"`
			H int `sofab:",presence"`
			I int `sofab:"-,presence"`
			J int `sofab:"1,"`
		}
		twice struct {
			A int `sofab:"1"`
			B int `sofab:"1"`
			C int `sofab:"1"`
		}
		foreign struct {
			A int   `sofab:"1,omitempty"`
			B int   `sofab:"2,omitzero"`
			C int   `sofab:"3,keyasint"`
			D []int `sofab:"4,toarray"`
		}
		untagged struct {
			A int `sofab:"3"`
			B int
			C string
			D int `sofab:"7,bogus"`
		}
		lengths struct {
			A int      `sofab:"1,maxlen=3"`
			B string   `sofab:"2,maxlen=0"`
			C string   `sofab:"3,maxlen=2147483648"`
			D [4]byte  `sofab:"4,maxlen=5"`
			E string   `sofab:"5,maxlen=2,default='abc'"`
			F []byte   `sofab:"6,maxlen=2,default='hex:010203'"`
			G []string `sofab:"7,maxlen=3"`
			H struct{} `sofab:"8,maxlen=3"`
			I string   `sofab:"9,maxlen=3,maxlen=4"`
		}
		counts struct {
			A int     `sofab:"1,count=3"`
			B []int   `sofab:"2,count=0"`
			C [3]int  `sofab:"3,count=4"`
			D []int   `sofab:"4,count=2,default='[1,2,3]'"`
			E []byte  `sofab:"5,count=2"`
			F [][]int `sofab:"6,elem.count=x"`
		}
		defaults struct {
			A uint8    `sofab:"1,default=256"`
			B int8     `sofab:"2,default=-129"`
			C int      `sofab:"3,default=007"`
			D bool     `sofab:"4,default=1"`
			E float64  `sofab:"5,default=abc"`
			F *int     `sofab:"6,default=1"`
			G struct{} `sofab:"7,default=1"`
			H []string `sofab:"8,default='[a]'"`
			I []byte   `sofab:"9,default=abc"`
			J [2]byte  `sofab:"10,default='hex:01'"`
			K [2]int   `sofab:"11,default='[1]'"`
			L []int8   `sofab:"12,default='[1,200]'"`
			M int      `sofab:"13,enum=0|1,default=2"`
			N int      `sofab:"14,u8,default=300"`
			O string   `sofab:"15,default='\\xff'"`
			P uint64   `sofab:"16,default=18446744073709551616"`
			Q []int    `sofab:"17,elem.default=3"`
		}
		presences struct {
			A struct{} `sofab:"1,presence"`
			B int      `sofab:"2,required"`
			C struct{} `sofab:"3,required"`
			D []int    `sofab:"4,elem.required"`
		}
		wireForms struct {
			A int    `sofab:"1,string"`
			B string `sofab:"2,array"`
			C []int  `sofab:"3,array"`
			D []byte `sofab:"4,string,blob"`
			E bool   `sofab:"5,blob"`
		}
		widths struct {
			A uint8   `sofab:"1,u16"`
			B int8    `sofab:"2,u8"`
			C string  `sofab:"3,u8"`
			D int     `sofab:"4,u8,u16"`
			E float32 `sofab:"5,fp64"`
			F int     `sofab:"6,fp32"`
			G []int8  `sofab:"7,elem.i16"`
			H bool    `sofab:"8,u8"`
			I int     `sofab:"9,u64"`
		}
		enums struct {
			A int8   `sofab:"1,enum=0|200"`
			B uint8  `sofab:"2,enum=-1"`
			C string `sofab:"3,enum"`
			D int    `sofab:"4,enum=1|1"`
			E int    `sofab:"5,enum=1,bits"`
			F int    `sofab:"6,enum=2147483648"`
			G int    `sofab:"7,u8,enum"`
		}
		bitfields struct {
			A uint8 `sofab:"1,bits=8"`
			B int   `sofab:"2,bits"`
			C uint  `sofab:"3,bits=1|1"`
			D uint  `sofab:"4,bits=64"`
		}
		paths struct {
			A int     `sofab:"1,elem.maxlen=3"`
			B []int   `sofab:"2,elem.maxlen=3"`
			C []int   `sofab:"3,key.u8"`
			D [][]int `sofab:"4,elem.elem.elem.u8"`
			E []byte  `sofab:"5,elem.u8"`
			F []int   `sofab:"6,elements.u8"`
			G []int   `sofab:"7,elem.inline"`
			H []int   `sofab:"8,elem."`
		}
		elsewhere struct {
			A int      `sofab:"1,time=unix"`
			B int      `sofab:"2,duration=ms"`
			C int      `sofab:"3,maxsize=10"`
			D struct{} `sofab:"4,default_id=1"`
			E string   `sofab:"5,unit=ms"`
			F int      `sofab:"6,decimals=2"`
			G float64  `sofab:"7,decimals=16"`
			H int      `sofab:"8,deprecated=yes"`
			I int      `sofab:"9,desc=it's"`
			J int      `sofab:"10,desc='open"`
			K int      `sofab:"11,unknown"`
		}
		kinds struct {
			A chan int   `sofab:"1"`
			B func()     `sofab:"2"`
			C complex128 `sofab:"3"`
			D uintptr    `sofab:"4"`
			E []chan int `sofab:"5"`
			F *func()    `sofab:"6"`
			G [2]uintptr `sofab:"7"`
		}
	)
	texts := []goldenText{
		{"id", faultOf(t, new(idSyntax))},
		{"one id for several fields", faultOf(t, new(twice))},
		{"options of other packages", faultOf(t, new(foreign))},
		{"fields without a tag", faultOf(t, new(untagged))},
		{"maxlen", faultOf(t, new(lengths))},
		{"count", faultOf(t, new(counts))},
		{"default", faultOf(t, new(defaults))},
		{"presence and required", faultOf(t, new(presences))},
		{"string, blob, array", faultOf(t, new(wireForms))},
		{"width", faultOf(t, new(widths))},
		{"enum", faultOf(t, new(enums))},
		{"bits", faultOf(t, new(bitfields))},
		{"elem, key, val", faultOf(t, new(paths))},
		{"options that go with other types", faultOf(t, new(elsewhere))},
		{"types without a wire form", faultOf(t, new(kinds))},
		{"locks", faultOf(t, new(faultSync))},
		{"options of a type", faultOf(t, new(faultType))},
		{"unexported field", faultOf(t, &faultUnexported{a: 1})},
		{"embedding", errors.Join(faultOf(t, new(embAmbiguous)), faultOf(t, new(embClash)), faultOf(t, new(EmbCycle)), faultOf(t, new(embInlineID)))},
		{"all faults of everything that a type reaches", faultOf(t, new(faultOrder))},
		{"through another type of the same graph", faultOf(t, new(faultRow))},
		{"an anonymous type", faultOf(t, new(struct {
			Order struct {
				A string `sofab:"1,u8"`
				B int    `sofab:"2"`
				C int    `sofab:"3"`
				D int    `sofab:"4"`
			} `sofab:"1"`
		}))},
	}
	checkGolden(t, "tags.txt", texts)
}

type (
	textOrder struct {
		Note  string     `sofab:"1,maxlen=8"`
		Items []textItem `sofab:"2,count=3"`
		Ref   *textItem  `sofab:"3"`
		textAudit
		Codes []uint16               `sofab:"4,count=2,elem.u8"`
		Hash  [4]byte                `sofab:"5"`
		Blob  []byte                 `sofab:"6,maxlen=2"`
		Grid  [][]string             `sofab:"7,elem.count=2,elem.elem.maxlen=2"`
		Fixed [2]float32             `sofab:"8"`
		State int                    `sofab:"9,enum=0|1"`
		Flag  bool                   `sofab:"10"`
		Must  *int                   `sofab:"11,required"`
		Free  []string               `sofab:"12"`
		Ratio float64                `sofab:"13,fp32"`
		Attrs map[string][]*textItem `sofab:"14,key.maxlen=4"`
	}
	textItem struct {
		Name  string      `sofab:"1"`
		Price int8        `sofab:"2"`
		Sub   []*textItem `sofab:"3"`
	}
	textAudit struct {
		*TextStamp
	}
	TextStamp struct {
		By []string `sofab:"20"`
		At *struct {
			Zone string `sofab:"1"`
		} `sofab:"21"`
	}
)

func newTextOrder() *textOrder { return &textOrder{Must: new(int)} }

func TestEncodeErrorTexts(t *testing.T) {
	refused := func(change func(o *textOrder)) error {
		o := newTextOrder()
		change(o)
		return checkEncodeFails(t, o)
	}
	const bad = "abc\xffdef"
	texts := []goldenText{
		{"maxlen", refused(func(o *textOrder) { o.Note = "123456789" })},
		{"maxlen of a blob", refused(func(o *textOrder) { o.Blob = []byte{1, 2, 3} })},
		{"count", refused(func(o *textOrder) { o.Items = make([]textItem, 4) })},
		{"count of a native array", refused(func(o *textOrder) { o.Codes = []uint16{1, 2, 3} })},
		{"width of an element", refused(func(o *textOrder) { o.Codes = []uint16{1, 256} })},
		{"count of a row", refused(func(o *textOrder) { o.Grid = [][]string{nil, {"", "", ""}} })},
		{"maxlen of an element", refused(func(o *textOrder) { o.Grid = [][]string{nil, {"", "abc"}} })},
		{"enum", refused(func(o *textOrder) { o.State = 2 })},
		{"fp32", refused(func(o *textOrder) { o.Ratio = 0.1 })},
		{"required", refused(func(o *textOrder) { o.Must = nil })},
		{"UTF-8", refused(func(o *textOrder) { o.Note = "\xff" })},
		{"UTF-8 in a slice of structs", refused(func(o *textOrder) { o.Items = []textItem{{}, {Name: bad}} })},
		{"UTF-8 behind pointers", refused(func(o *textOrder) { o.Ref = &textItem{Sub: []*textItem{nil, {Sub: []*textItem{{Name: bad}}}}} })},
		{"UTF-8 in an embedded struct", refused(func(o *textOrder) { o.TextStamp = &TextStamp{By: []string{"", bad}} })},
		{"UTF-8 in an anonymous struct", refused(func(o *textOrder) {
			o.TextStamp = &TextStamp{At: &struct {
				Zone string `sofab:"1"`
			}{bad}}
		})},
		{"UTF-8 in a slice in a map", refused(func(o *textOrder) { o.Attrs = map[string][]*textItem{"k": {nil, {Name: bad}}} })},
		{"key of a map", refused(func(o *textOrder) { o.Attrs = map[string][]*textItem{"a": {{}}, "long key": nil} })},
		{"a value that contains itself", refused(func(o *textOrder) {
			o.Ref = &textItem{}
			o.Ref.Sub = []*textItem{o.Ref}
		})},
		{"nil", errorOf(sofab.Marshal(nil))},
	}
	checkGolden(t, "encode.txt", texts)
}

func TestDecodeErrorTexts(t *testing.T) {
	strict, err := sofab.Options{Strict: true, Unknown: sofab.Reject, Limits: sofab.Limits{Array: 4, String: 4, Blob: 4, Memory: 1}}.Codec()
	if err != nil {
		t.Fatal(err)
	}
	refused := func(input string) error {
		t.Helper()
		data := unhex(t, input)
		first := sofab.Unmarshal(data, newTextOrder())
		for _, s := range decodeSurfaces {
			if strings.Contains(s.name, "Prefixed") || strings.Contains(s.name, "used destination") {
				continue // other offsets; litter does not know the type
			}
			if err := s.decode(data, newTextOrder()); errorText(err) != errorText(first) {
				t.Errorf("%s of %s: %v, Unmarshal: %v", s.name, input, err, first)
			}
		}
		return first
	}
	byCodec := func(input string) error { return strict.Unmarshal(unhex(t, input), newTextOrder()) }
	texts := []goldenText{
		{"maxlen", refused("0a4a")},
		{"maxlen of a blob", refused("321b")},
		{"length of a Go array", refused("2a13")},
		{"count, judged by the index", refused("161e")},
		{"count of a native array", refused("2303")},
		{"count of a Go array", refused("450320")},
		{"width of an element", refused("2302018002")},
		{"width", refused("1606118002")},
		{"width behind pointers", refused("1e1e061e0e118002")},
		{"count of a row", refused("3e0e1202")},
		{"maxlen of an element", refused("3e0e0a1a")},
		{"UTF-8", refused("0a12c328")},
		{"UTF-8 in a slice of structs", refused("160e0a3a616263ff646566")},
		{"UTF-8 behind pointers", refused("1e1e0e1e060a3a616263ff646566")},
		{"UTF-8 in an embedded struct", refused("a6010a3a616263ff646566")},
		{"UTF-8 in an anonymous struct", refused("ae010a0aff")},
		{"UTF-8 in a slice in a map", refused("7606020a6b0e060a0aff")},
		{"key of a map", refused("76060232")},
		{"an id above the maximum", refused("8080808040")},
		{"a varint of more than 64 bits", refused("16 06 11 ffffffffffffffffffff")},
		{"a reserved subtype", refused("160e0a0c")},
		{"a float of another length", refused("1e 22 18")},
		{"an element word that is none", refused("45010a")},
		{"a sequence end too many", refused("07")},
		{"256 levels", refused(strings.Repeat("1e1e06", 85) + "1e1e")},
		{"the end inside a varint", refused("1606 11 80")},
		{"the end inside a string", refused("160e0a3a6162")},
		{"the end inside a sequence", refused("160e")},
		{"a required field", errorOf(struct{}{}, sofab.Unmarshal(nil, new(textOrder)))},
		{"an index over the cap", byCodec("66420a61")},
		{"a string over the cap", byCodec("66022a")},
		{"another type", byCodec("51 02")},
		{"another type of an element", byCodec("16 0e 0a 0b")},
		{"another subtype behind pointers", byCodec("1e1e060a1b")},
		{"another element type", byCodec("450141")},
		{"an unknown field", byCodec("160e 4005")},
		{"an unknown field at the top", byCodec("b20602")},
	}
	checkGolden(t, "decode.txt", texts)
}

// Which errors are which sentinels and types.
func TestErrorKinds(t *testing.T) {
	strict, err := sofab.Options{Strict: true, Unknown: sofab.Reject, Limits: sofab.Limits{Array: 4}}.Codec()
	if err != nil {
		t.Fatal(err)
	}
	decode := func(input string) error { return strict.Unmarshal(unhex(t, input), newTextOrder()) }
	encode := func(o *textOrder) error { return errorOf(sofab.Marshal(o)) }
	sentinels := []error{sofab.ErrInvalid, sofab.ErrIncomplete, io.ErrUnexpectedEOF, sofab.ErrLimit, sofab.ErrUnknownField}
	for _, tt := range []struct {
		name   string
		err    error
		is     []error
		target any // what errors.As finds
	}{
		{"malformed", decode("160e0a0c"), []error{sofab.ErrInvalid}, new(*sofab.SyntaxError)},
		{"incomplete", decode("160e0a"), []error{sofab.ErrIncomplete, io.ErrUnexpectedEOF}, new(*sofab.SyntaxError)},
		{"UTF-8", decode("0a0aff"), []error{sofab.ErrInvalid}, new(*sofab.SyntaxError)},
		{"bound", decode("0a4a"), []error{sofab.ErrInvalid}, new(*sofab.BoundError)},
		{"width", decode("1606118002"), []error{sofab.ErrInvalid}, new(*sofab.BoundError)},
		{"bound on encode", encode(&textOrder{Note: "123456789"}), nil, new(*sofab.BoundError)},
		{"limit", decode("66420a61"), []error{sofab.ErrLimit}, new(*sofab.LimitError)},
		{"unknown field", decode("b20602"), []error{sofab.ErrUnknownField}, new(*sofab.UnknownFieldError)},
		{"another type", decode("5102"), nil, new(*sofab.UnmarshalTypeError)},
		{"missing field", sofab.Unmarshal(nil, new(textOrder)), nil, new(*sofab.MissingFieldError)},
		{"value", encode(&textOrder{}), nil, new(*sofab.UnsupportedValueError)},
		{"destination", sofab.Unmarshal(nil, 5), nil, new(*sofab.InvalidUnmarshalError)},
		{"nil", errorOf(sofab.Marshal(nil)), nil, new(*sofab.UnsupportedTypeError)},
		{"type", errorOf(sofab.Marshal(new(faultOrder))), nil, new(*sofab.TagError)},
	} {
		if !errors.As(tt.err, tt.target) {
			t.Errorf("%s: %v (%T) is no %T", tt.name, tt.err, tt.err, tt.target)
		}
		for _, s := range sentinels {
			if got, want := errors.Is(tt.err, s), slices.Contains(tt.is, s); got != want {
				t.Errorf("%s: %v is %v: %t, want %t", tt.name, tt.err, s, got, want)
			}
		}
	}
	// The fields of the errors.
	var typeError *sofab.UnmarshalTypeError
	if !errors.As(decode("16 0e 0a 0b"), &typeError) {
		t.Fatal("no UnmarshalTypeError")
	}
	want := sofab.UnmarshalTypeError{
		Value: "blob", Type: reflect.TypeFor[string](), Offset: 2, Struct: "textItem", Field: "textOrder.Items[1].Name", ID: 1,
	}
	if *typeError != want {
		t.Errorf("%+v, want %+v", *typeError, want)
	}
	var bound *sofab.BoundError
	if !errors.As(decode("2302018002"), &bound) || bound.Path != "textOrder.Codes[1]" || bound.Offset != 3 || bound.Bound != "u8" || bound.Limit != 255 || bound.Got != 256 {
		t.Errorf("%+v", bound)
	}
	var tag *sofab.TagError
	if err := errorOf(sofab.Marshal(new(faultRow))); !errors.As(err, &tag) || tag.Type != reflect.TypeFor[faultRow]() || tag.Field != "ID" || tag.Tag != "1,u8" || tag.Pos != 2 {
		t.Errorf("%+v", tag)
	}
}
