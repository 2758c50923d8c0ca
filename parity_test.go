package sofab_test

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"io"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/sofab-go/sofab"
)

//go:generate go test -run ^TestParityReadme$ -update .

// What both packages have with one signature, so that a function value, or an interface
// of one's own, takes either.
var (
	_ = []func(any) ([]byte, error){json.Marshal, sofab.Marshal}
	_ = []func([]byte, any) error{json.Unmarshal, sofab.Unmarshal}
	_ = []func([]byte) bool{json.Valid, sofab.Valid}

	_ = []interface{ Encode(any) error }{json.NewEncoder(nil), sofab.NewEncoder(nil)}
	_ = []interface {
		Buffered() io.Reader
		Decode(any) error
		DisallowUnknownFields()
		InputOffset() int64
		More() bool
	}{json.NewDecoder(nil), sofab.NewDecoder(nil)}

	_ func(io.Writer) *json.Encoder  = json.NewEncoder
	_ func(io.Writer) *sofab.Encoder = sofab.NewEncoder
	_ func(io.Reader) *json.Decoder  = json.NewDecoder
	_ func(io.Reader) *sofab.Decoder = sofab.NewDecoder

	_ sofab.Marshaler   = sofab.RawMessage{}
	_ sofab.Unmarshaler = (*sofab.RawMessage)(nil)

	_ = []error{
		&sofab.InvalidUnmarshalError{}, &sofab.MarshalerError{}, &sofab.SyntaxError{}, &sofab.UnmarshalTypeError{},
		&sofab.UnsupportedTypeError{}, &sofab.UnsupportedValueError{},
	}
)

// parityKind says how a name of encoding/json is found here.
type parityKind int

const (
	same    parityKind = iota // under the same name, with the same signature and meaning
	differs                   // under the same name, with another meaning or signature
	absent                    // not at all
)

// parity says for every exported name of encoding/json how it is found here, and where
// that is not the same what is different, or what takes its place.
var parity = map[string]struct {
	kind parityKind
	note string
}{
	"Marshal":           {same, ""},
	"Unmarshal":         {differs, "resets the destination first, because absent fields are at their defaults; `Options.Merge` keeps it"},
	"Valid":             {same, ""},
	"MarshalIndent":     {absent, "unmarshal into `any` or `Fields` and print that"},
	"Indent":            {absent, "there is no white space: a value has one encoding"},
	"Compact":           {absent, "there is no white space: a value has one encoding"},
	"HTMLEscape":        {absent, "nothing is escaped"},
	"Encoder":           {same, ""},
	"NewEncoder":        {same, ""},
	"Encoder.Encode":    {differs, "a message is followed by the byte `07`, so that it goes to a `Decoder` and not to `Unmarshal`; json writes a line feed"},
	"Encoder.SetIndent": {absent, "there is no white space: a value has one encoding"},
	"Encoder.SetEscapeHTML": {
		absent, "nothing is escaped",
	},
	"Decoder":                       {same, ""},
	"NewDecoder":                    {same, ""},
	"Decoder.Decode":                {differs, "reads a message and its terminator, and resets the destination first"},
	"Decoder.More":                  {differs, "is there another message on the stream? In json: another element of the array or object at hand"},
	"Decoder.Buffered":              {same, ""},
	"Decoder.InputOffset":           {same, ""},
	"Decoder.DisallowUnknownFields": {same, ""},
	"Decoder.UseNumber":             {absent, "an `any` holds `uint64`, `int64` and `float64` as they were written"},
	"Decoder.Token":                 {absent, "`stream.Decoder.Next`, or a `stream.Feeder` with a visitor"},
	"Token":                         {absent, "`stream.Field`"},
	"Delim":                         {absent, "`wire.SequenceStart` and `wire.SequenceEnd`"},
	"Delim.String":                  {absent, "see `Delim`"},
	"Number":                        {absent, "an `any` holds `uint64`, `int64` and `float64` as they were written; `*big.Int` and its kin for more"},
	"Number.String":                 {absent, "see `Number`"},
	"Number.Float64":                {absent, "see `Number`"},
	"Number.Int64":                  {absent, "see `Number`"},
	"Marshaler":                     {differs, "its method is `MarshalSofab` and returns the body of a message; `MarshalerTo` writes a field of any type"},
	"Marshaler.MarshalJSON":         {absent, "`MarshalSofab`; `MarshalText` and `MarshalBinary` are found as well"},
	"Unmarshaler":                   {differs, "its method is `UnmarshalSofab`; `UnmarshalerFrom` reads a field of any type"},
	"Unmarshaler.UnmarshalJSON":     {absent, "`UnmarshalSofab`; `UnmarshalText` and `UnmarshalBinary` are found as well"},
	"RawMessage":                    {differs, "holds the body of a nested message, checked when it is written; `RawField` holds a value of any type"},
	"RawMessage.MarshalJSON":        {absent, "`MarshalSofab`"},
	"RawMessage.UnmarshalJSON":      {absent, "`UnmarshalSofab`"},

	"InvalidUnmarshalError":       {same, ""},
	"InvalidUnmarshalError.Error": {same, ""},
	"InvalidUnmarshalError.Type":  {same, ""},
	"MarshalerError":              {differs, "of decoding methods, too"},
	"MarshalerError.Error":        {same, ""},
	"MarshalerError.Unwrap":       {same, ""},
	"MarshalerError.Type":         {same, ""},
	"MarshalerError.Err":          {same, ""},
	"SyntaxError":                 {differs, "is `ErrInvalid`, or `ErrIncomplete` where the input ends too early, for which json has `io.ErrUnexpectedEOF`"},
	"SyntaxError.Error":           {same, ""},
	"SyntaxError.Offset":          {same, ""},
	"UnmarshalTypeError":          {differs, "only under `Options.Strict`; else a field of another type is skipped and counted by `Decoder.Skipped`. A number that does not fit is a `BoundError`"},
	"UnmarshalTypeError.Error":    {same, ""},
	"UnmarshalTypeError.Value":    {same, ""},
	"UnmarshalTypeError.Type":     {same, ""},
	"UnmarshalTypeError.Offset":   {same, ""},
	"UnmarshalTypeError.Struct":   {same, ""},
	"UnmarshalTypeError.Field":    {same, ""},
	"UnsupportedTypeError":        {differs, "of values; a type that has no wire form is a `TagError`, the first time it is used"},
	"UnsupportedTypeError.Error":  {same, ""},
	"UnsupportedTypeError.Type":   {same, ""},
	"UnsupportedValueError":       {same, ""},
	"UnsupportedValueError.Error": {same, ""},
	"UnsupportedValueError.Value": {same, ""},
	"UnsupportedValueError.Str":   {same, ""},

	"InvalidUTF8Error":          {absent, "a string that is not UTF-8 is an error that names the field and the byte"},
	"InvalidUTF8Error.Error":    {absent, "see `InvalidUTF8Error`"},
	"InvalidUTF8Error.S":        {absent, "see `InvalidUTF8Error`"},
	"UnmarshalFieldError":       {absent, "deprecated since Go 1.0"},
	"UnmarshalFieldError.Error": {absent, "see `UnmarshalFieldError`"},
	"UnmarshalFieldError.Field": {absent, "see `UnmarshalFieldError`"},
	"UnmarshalFieldError.Key":   {absent, "see `UnmarshalFieldError`"},
	"UnmarshalFieldError.Type":  {absent, "see `UnmarshalFieldError`"},
}

// The types and functions that both packages have: that of encoding/json, then ours.
var (
	parityTypes = map[string][2]reflect.Type{
		"Encoder":               {reflect.TypeFor[json.Encoder](), reflect.TypeFor[sofab.Encoder]()},
		"Decoder":               {reflect.TypeFor[json.Decoder](), reflect.TypeFor[sofab.Decoder]()},
		"Marshaler":             {reflect.TypeFor[json.Marshaler](), reflect.TypeFor[sofab.Marshaler]()},
		"Unmarshaler":           {reflect.TypeFor[json.Unmarshaler](), reflect.TypeFor[sofab.Unmarshaler]()},
		"RawMessage":            {reflect.TypeFor[json.RawMessage](), reflect.TypeFor[sofab.RawMessage]()},
		"InvalidUnmarshalError": {reflect.TypeFor[json.InvalidUnmarshalError](), reflect.TypeFor[sofab.InvalidUnmarshalError]()},
		"MarshalerError":        {reflect.TypeFor[json.MarshalerError](), reflect.TypeFor[sofab.MarshalerError]()},
		"SyntaxError":           {reflect.TypeFor[json.SyntaxError](), reflect.TypeFor[sofab.SyntaxError]()},
		"UnmarshalTypeError":    {reflect.TypeFor[json.UnmarshalTypeError](), reflect.TypeFor[sofab.UnmarshalTypeError]()},
		"UnsupportedTypeError":  {reflect.TypeFor[json.UnsupportedTypeError](), reflect.TypeFor[sofab.UnsupportedTypeError]()},
		"UnsupportedValueError": {reflect.TypeFor[json.UnsupportedValueError](), reflect.TypeFor[sofab.UnsupportedValueError]()},
	}
	parityFuncs = map[string][2]any{
		"Marshal":    {json.Marshal, sofab.Marshal},
		"Unmarshal":  {json.Unmarshal, sofab.Unmarshal},
		"Valid":      {json.Valid, sofab.Valid},
		"NewEncoder": {json.NewEncoder, sofab.NewEncoder},
		"NewDecoder": {json.NewDecoder, sofab.NewDecoder},
	}
)

// jsonNames are the exported names of encoding/json in the Go release at hand, from its
// source: functions and types, and as Type.Name the methods and fields of types.
func jsonNames(t *testing.T) []string {
	t.Helper()
	context := build.Default
	context.ToolTags = slices.DeleteFunc(slices.Clone(context.ToolTags), func(tag string) bool {
		return tag == "goexperiment.jsonv2" // has more names, which may still change
	})
	pkg, err := context.Import("encoding/json", "", 0)
	if err != nil {
		t.Skip("the source of encoding/json is not at hand: ", err)
	}
	names := make(map[string]bool)
	note := func(typ, name string) {
		if !ast.IsExported(name) {
			return
		}
		if typ != "" {
			name = typ + "." + name
		}
		names[name] = true
	}
	for _, name := range pkg.GoFiles {
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(pkg.Dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, decl := range file.Decls {
			switch d := decl.(type) {
			case *ast.FuncDecl:
				switch receiver := receiverName(d); {
				case receiver == "":
					note("", d.Name.Name)
				case ast.IsExported(receiver):
					note(receiver, d.Name.Name)
				}
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					noteSpec(spec, note)
				}
			}
		}
	}
	return slices.Sorted(maps.Keys(names))
}

func noteSpec(spec ast.Spec, note func(typ, name string)) {
	switch s := spec.(type) {
	case *ast.ValueSpec:
		for _, name := range s.Names {
			note("", name.Name)
		}
	case *ast.TypeSpec:
		note("", s.Name.Name)
		var members *ast.FieldList
		switch typ := s.Type.(type) {
		case *ast.StructType:
			members = typ.Fields
		case *ast.InterfaceType:
			members = typ.Methods
		}
		if members == nil || !ast.IsExported(s.Name.Name) {
			return
		}
		for _, field := range members.List {
			for _, name := range field.Names {
				note(s.Name.Name, name.Name)
			}
		}
	}
}

// receiverName is the name of the type that a function is a method of, else "".
func receiverName(d *ast.FuncDecl) string {
	if d.Recv == nil {
		return ""
	}
	typ := d.Recv.List[0].Type
	if star, ok := typ.(*ast.StarExpr); ok {
		typ = star.X
	}
	if name, ok := typ.(*ast.Ident); ok {
		return name.Name
	}
	return ""
}

// TestParityNames: the table has every exported name of encoding/json, and no other.
func TestParityNames(t *testing.T) {
	names := jsonNames(t)
	for _, name := range names {
		if _, ok := parity[name]; !ok {
			t.Errorf("this Go release has json.%s, of which the table parity says nothing: add it as same, differs or absent, and run go generate", name)
		}
	}
	for name := range parity {
		if _, ok := slices.BinarySearch(names, name); !ok {
			t.Errorf("the table parity has json.%s, which this Go release does not declare", name)
		}
	}
}

// TestParitySignatures: what is called the same has the same signature, what differs
// exists, and what is absent does not.
func TestParitySignatures(t *testing.T) {
	declared := exportedNames(t)
	for name, row := range parity {
		if (row.note == "") != (row.kind == same) {
			t.Errorf("%s: note %q for kind %d", name, row.note, row.kind)
		}
		typ, member, isMember := strings.Cut(name, ".")
		if !isMember {
			if declared[name] != (row.kind != absent) {
				t.Errorf("%s: declared %t, in the table as kind %d", name, declared[name], row.kind)
			}
			if f, ok := parityFuncs[name]; ok && unqualified(f[0]) != unqualified(f[1]) {
				t.Errorf("%s: json has %T, sofab %T", name, f[0], f[1])
			}
			if _, isFunc := parityFuncs[name]; !isFunc && row.kind != absent && parityTypes[name][0] == nil {
				t.Errorf("%s: is neither in parityFuncs nor in parityTypes", name)
			}
			continue
		}
		types, ok := parityTypes[typ]
		if !ok {
			if row.kind != absent {
				t.Errorf("%s: in the table as kind %d, but %s is not in parityTypes", name, row.kind, typ)
			}
			continue
		}
		theirs, ours := memberSignature(types[0], member), memberSignature(types[1], member)
		switch {
		case theirs == "":
			t.Errorf("%s: reflection does not find it in json", name)
		case row.kind == absent && ours != "":
			t.Errorf("%s: in the table as absent, but it is there", name)
		case row.kind != absent && ours != theirs:
			t.Errorf("%s: json has %q, sofab %q", name, theirs, ours)
		}
	}
}

// unqualified is the type of a function without package names.
func unqualified(f any) string {
	return strings.NewReplacer("json.", "", "sofab.", "").Replace(fmt.Sprintf("%T", f))
}

// memberSignature is the type of a field, or of a method without its receiver, and ""
// where there is none.
func memberSignature(t reflect.Type, name string) string {
	if t.Kind() == reflect.Struct {
		if f, ok := t.FieldByName(name); ok {
			return f.Type.String()
		}
	}
	if t.Kind() == reflect.Interface {
		if m, ok := t.MethodByName(name); ok {
			return m.Type.String()
		}
		return ""
	}
	if m, ok := reflect.PointerTo(t).MethodByName(name); ok {
		_, rest, _ := strings.Cut(m.Type.String(), t.String())
		return strings.TrimPrefix(rest, ", ")
	}
	return ""
}

const (
	parityStart = "<!-- parity: written by go generate -->\n"
	parityEnd   = "<!-- parity end -->\n"
)

// TestParityReadme holds the table in README.md to the one that is checked here.
func TestParityReadme(t *testing.T) {
	readme := readFile(t, "README.md")
	head, rest, ok := strings.Cut(readme, parityStart)
	printed, tail, ok2 := strings.Cut(rest, parityEnd)
	if !ok || !ok2 {
		t.Fatalf("README.md has no lines %q and %q", parityStart, parityEnd)
	}
	want := parityMarkdown()
	if *update {
		if err := os.WriteFile("README.md", []byte(head+parityStart+want+parityEnd+tail), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(want, printed); diff != "" {
		t.Errorf("README.md (-want +got), run go generate:\n%s", diff)
	}
}

// parityMarkdown prints the table: the names that are the same as a list, all others as
// rows, of which those that refer to another one are left out.
func parityMarkdown() string {
	var identical, rows []string
	for _, name := range slices.Sorted(maps.Keys(parity)) {
		row := parity[name]
		switch {
		case row.kind == same:
			identical = append(identical, "`"+name+"`")
		case strings.HasPrefix(row.note, "see "):
			parent, _, _ := strings.Cut(name, ".")
			if row.note != "see `"+parent+"`" {
				panic("parity: " + name + " refers to " + row.note)
			}
		default:
			verdict := "differs"
			if row.kind == absent {
				verdict = "absent"
			}
			rows = append(rows, fmt.Sprintf("| `%s` | %s | %s |\n", name, verdict, row.note))
		}
	}
	return "\nThe same, with the same signature: " + strings.Join(identical, ", ") + ".\n\n" +
		"| encoding/json | here | |\n|---|---|---|\n" + strings.Join(rows, "") + "\n"
}
