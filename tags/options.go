package tags

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
)

// Options are the options of one value: the field's own, or those of an inner
// value that a path of elem, key and val leads to. An option that is not in the
// tag leaves its fields zero.
type Options struct {
	// Given lists every option of this level in the order of the text. It holds
	// no options of inner values.
	Given []Given

	MaxLen int // maxlen: bytes, 1 to 2147483647; 0 if not given
	Count  int // count: elements, 1 to 2147483647; 0 if not given

	// Default is the unquoted text of default; what it means is not judged. It
	// may be empty (default=''), so HasDefault tells whether it was given.
	Default    string
	HasDefault bool

	Presence bool // presence
	Required bool // required

	Form  Form  // string, blob or array; FormNone if not given
	Width Width // u8 to u64, i8 to i64, fp32 or fp64; WidthNone if not given

	// Enum says that enum is given. Members is its list in the order of the
	// text, distinct and each an int32; nil without a list.
	Enum    bool
	Members []int64

	// Bits says that bits is given. BitList is its list in the order of the
	// text, distinct and each 0 to 63; nil without a list.
	Bits    bool
	BitList []int

	Union bool // union

	// DefaultID is an id, 0 to 2147483647; HasDefaultID says that it was given.
	HasDefaultID bool
	DefaultID    uint32

	Inline  bool // inline
	Unknown bool // unknown

	Time     TimeForm     // time; TimeNone if not given
	Duration DurationForm // duration; DurationNone if not given

	Name, Unit, Desc string // name, unit and desc: unquoted, never given empty

	// Decimals is 0 to 15; HasDecimals says that it was given.
	HasDecimals bool
	Decimals    int

	Deprecated bool // deprecated

	MaxSize int // maxsize: bytes, 1 to 2147483647; 0 if not given

	// Elem, Key and Val are the options of the inner values, nil if no option
	// has that path.
	Elem, Key, Val *Options
}

// Given is one option as it stood in the tag.
type Given struct {
	Key  string // without the path: "maxlen"
	Path string // with the path: "elem.maxlen"
	Pos  int    // byte position of the first byte of Path in the tag
}

// Pos returns the byte position in the tag of the option with this key, without
// a path, that was given at this level. It is -1 if there is none, and for nil
// Options.
func (o *Options) Pos(key string) int {
	if o != nil {
		for _, g := range o.Given {
			if g.Key == key {
				return g.Pos
			}
		}
	}
	return -1
}

// inner returns where the options of the inner value behind one step of a path
// are kept, nil if there is no such step.
func (o *Options) inner(step string) **Options {
	switch step {
	case "elem":
		return &o.Elem
	case "key":
		return &o.Key
	case "val":
		return &o.Val
	}
	return nil
}

// Form is the wire form that the option string, blob or array asks for.
type Form uint8

// The forms. FormNone: none was given.
const (
	FormNone Form = iota
	FormString
	FormBlob
	FormArray
)

var formNames = []string{"none", "string", "blob", "array"}

// String returns the option that gives the form, "none" for FormNone.
func (f Form) String() string { return nameOf("Form", formNames, f) }

// Width is the width and sign that an option such as u8 or fp32 declares.
type Width uint8

// The widths. WidthNone: none was given.
const (
	WidthNone Width = iota
	WidthU8
	WidthU16
	WidthU32
	WidthU64
	WidthI8
	WidthI16
	WidthI32
	WidthI64
	WidthFP32
	WidthFP64
)

var widthNames = []string{"none", "u8", "u16", "u32", "u64", "i8", "i16", "i32", "i64", "fp32", "fp64"}

// String returns the option that gives the width, "none" for WidthNone.
func (w Width) String() string { return nameOf("Width", widthNames, w) }

// Bits returns the number of bits: 8, 16, 32 or 64, and 0 for WidthNone.
func (w Width) Bits() int {
	switch w {
	case WidthU8, WidthI8:
		return 8
	case WidthU16, WidthI16:
		return 16
	case WidthU32, WidthI32, WidthFP32:
		return 32
	case WidthU64, WidthI64, WidthFP64:
		return 64
	}
	return 0
}

// Signed reports whether w is a signed integer, i8 to i64. Floats are not.
func (w Width) Signed() bool { return WidthI8 <= w && w <= WidthI64 }

// Float reports whether w is fp32 or fp64.
func (w Width) Float() bool { return w == WidthFP32 || w == WidthFP64 }

// TimeForm is the wire form of a time that the option time asks for.
type TimeForm uint8

// The forms of a time. TimeNone: none was given.
const (
	TimeNone TimeForm = iota
	TimeUnix
	TimeUnixMilli
	TimeUnixMicro
	TimeUnixNano
	TimeRFC3339
	TimeStruct
)

var timeNames = []string{"none", "unix", "unixmilli", "unixmicro", "unixnano", "rfc3339", "struct"}

// String returns the value of the option, "none" for TimeNone.
func (f TimeForm) String() string { return nameOf("TimeForm", timeNames, f) }

// DurationForm is the unit of a duration on the wire that the option duration
// asks for.
type DurationForm uint8

// The units of a duration. DurationNone: none was given.
const (
	DurationNone DurationForm = iota
	DurationNS
	DurationUS
	DurationMS
	DurationS
)

var durationNames = []string{"none", "ns", "us", "ms", "s"}

// String returns the value of the option, "none" for DurationNone.
func (f DurationForm) String() string { return nameOf("DurationForm", durationNames, f) }

// nameOf returns the name of v, or typ(v) for a number without one.
func nameOf[T ~uint8](typ string, names []string, v T) string {
	if int(v) < len(names) {
		return names[v]
	}
	return fmt.Sprintf("%s(%d)", typ, uint8(v))
}

// valueOf returns the value with this name, 0 if there is none. The name of 0
// is not one that a tag may say.
func valueOf[T ~uint8](names []string, name string) T {
	return T(1 + slices.Index(names[1:], name))
}

// takes says what may follow the key of an option.
type takes uint8

const (
	takesNone         takes = iota // the key stands alone
	takesValue                     // = and a value
	takesValueOrEmpty              // = and a value, or two quotes
	takesEither                    // the key alone, or = and a value
)

// option is a row of the table of options.
type option struct {
	name   string
	takes  takes
	sample string // a value to propose in error texts, empty with takesNone

	// apply sets what the option says. The value is unquoted, and empty for an
	// option that stands alone. An error says what is wrong with the value,
	// without the name or the position of the option.
	apply func(o *Options, key, value string) error

	// refused says what to do instead of an option that other packages know and
	// this one does not have. It has no apply.
	refused string
}

// options are all the options there are. Where two fit a misspelling equally
// well, the first is proposed.
var options = []option{
	{name: "maxlen", takes: takesValue, sample: "64", apply: func(o *Options, _, v string) error { return setSize(&o.MaxLen, v) }},
	{name: "count", takes: takesValue, sample: "16", apply: func(o *Options, _, v string) error { return setSize(&o.Count, v) }},
	{name: "default", takes: takesValueOrEmpty, sample: "''", apply: setDefault},
	{name: "presence", apply: func(o *Options, _, _ string) error { return setFlag(&o.Presence) }},
	{name: "required", apply: func(o *Options, _, _ string) error { return setFlag(&o.Required) }},
	{name: "string", apply: setForm},
	{name: "blob", apply: setForm},
	{name: "array", apply: setForm},
	{name: "u8", apply: setWidth},
	{name: "u16", apply: setWidth},
	{name: "u32", apply: setWidth},
	{name: "u64", apply: setWidth},
	{name: "i8", apply: setWidth},
	{name: "i16", apply: setWidth},
	{name: "i32", apply: setWidth},
	{name: "i64", apply: setWidth},
	{name: "fp32", apply: setWidth},
	{name: "fp64", apply: setWidth},
	{name: "enum", takes: takesEither, sample: "0|1", apply: setEnum},
	{name: "bits", takes: takesEither, sample: "0|3", apply: setBits},
	{name: "union", apply: func(o *Options, _, _ string) error { return setFlag(&o.Union) }},
	{name: "default_id", takes: takesValue, sample: "1", apply: setDefaultID},
	{name: "inline", apply: func(o *Options, _, _ string) error { return setFlag(&o.Inline) }},
	{name: "unknown", apply: func(o *Options, _, _ string) error { return setFlag(&o.Unknown) }},
	{name: "time", takes: takesValue, sample: "unix", apply: setTime},
	{name: "duration", takes: takesValue, sample: "ms", apply: setDuration},
	{name: "name", takes: takesValue, sample: "total", apply: func(o *Options, _, v string) error { return setText(&o.Name, v) }},
	{name: "unit", takes: takesValue, sample: "ms", apply: func(o *Options, _, v string) error { return setText(&o.Unit, v) }},
	{name: "desc", takes: takesValue, sample: "'a text'", apply: func(o *Options, _, v string) error { return setText(&o.Desc, v) }},
	{name: "decimals", takes: takesValue, sample: "2", apply: setDecimals},
	{name: "deprecated", apply: func(o *Options, _, _ string) error { return setFlag(&o.Deprecated) }},
	{name: "maxsize", takes: takesValue, sample: "4096", apply: func(o *Options, _, v string) error { return setSize(&o.MaxSize, v) }},

	{name: "omitempty", refused: "a value at its default is always omitted: remove omitempty"},
	{name: "omitzero", refused: "a value at its default is always omitted: remove omitzero"},
	{name: "keyasint", refused: "ids are always integers: remove keyasint"},
	{name: "toarray", refused: "not available, a struct is always written by its ids: remove toarray"},
}

// example returns the option as a tag would say it, without a path.
func (row *option) example() string {
	if row.sample == "" {
		return row.name
	}
	return row.name + "=" + row.sample
}

// find returns the row of an option, nil if there is none.
func find(name string) *option {
	for i := range options {
		if options[i].name == name {
			return &options[i]
		}
	}
	return nil
}

func setFlag(dst *bool) error {
	*dst = true
	return nil
}

func setText(dst *string, value string) error {
	*dst = value
	return nil
}

// parseNumber is parseDecimal with an error.
func parseNumber(text string, lo, hi int64) (int64, error) {
	v, ok := parseDecimal(text, lo, hi)
	if !ok {
		return 0, fmt.Errorf("%q is not a plain number from %d to %d", text, lo, hi)
	}
	return v, nil
}

func setSize(dst *int, value string) error {
	v, err := parseNumber(value, 1, math.MaxInt32)
	*dst = int(v)
	return err
}

func setDefault(o *Options, _, value string) error {
	o.Default, o.HasDefault = value, true
	return nil
}

func setForm(o *Options, key, _ string) error {
	if o.Form != FormNone {
		return o.second("wire form", o.Form.String())
	}
	o.Form = valueOf[Form](formNames, key)
	return nil
}

func setWidth(o *Options, key, _ string) error {
	if o.Width != WidthNone {
		return o.second("width", o.Width.String())
	}
	o.Width = valueOf[Width](widthNames, key)
	return nil
}

// second is the error of an option that excludes first, which is given too.
func (o *Options) second(what, first string) error {
	return fmt.Errorf("the %s is %s already, given at byte %d (keep one)", what, first, o.Pos(first))
}

func setEnum(o *Options, _, value string) (err error) {
	o.Enum = true
	if value != "" {
		o.Members, err = parseList(value, math.MinInt32, math.MaxInt32)
	}
	return err
}

func setBits(o *Options, _, value string) error {
	o.Bits = true
	if value == "" {
		return nil
	}
	list, err := parseList(value, 0, 63)
	if err != nil {
		return err
	}
	for _, bit := range list {
		o.BitList = append(o.BitList, int(bit))
	}
	return nil
}

// parseList parses distinct plain numbers from lo to hi, separated by "|".
func parseList(value string, lo, hi int64) ([]int64, error) {
	var list []int64
	seen := make(map[int64]bool)
	for text := range strings.SplitSeq(value, "|") {
		if text == "" {
			return nil, errors.New(`the list has an empty member (one "|" between two numbers)`)
		}
		v, err := parseNumber(text, lo, hi)
		if err != nil {
			return nil, err
		}
		if seen[v] {
			return nil, fmt.Errorf("%d is listed twice", v)
		}
		seen[v] = true
		list = append(list, v)
	}
	return list, nil
}

func setDefaultID(o *Options, _, value string) error {
	id, err := parseNumber(value, 0, maxID)
	o.DefaultID, o.HasDefaultID = uint32(id), true
	return err
}

func setTime(o *Options, _, value string) error {
	o.Time = valueOf[TimeForm](timeNames, value)
	return checkForm(o.Time, value, timeNames)
}

func setDuration(o *Options, _, value string) error {
	o.Duration = valueOf[DurationForm](durationNames, value)
	return checkForm(o.Duration, value, durationNames)
}

// checkForm returns an error that lists the names if form, the value of text,
// is none of them.
func checkForm[T ~uint8](form T, text string, names []string) error {
	if form != 0 {
		return nil
	}
	last := len(names) - 1
	return fmt.Errorf("unknown form %q (there are %s and %s)", text, strings.Join(names[1:last], ", "), names[last])
}

func setDecimals(o *Options, _, value string) error {
	v, err := parseNumber(value, 0, 15)
	o.Decimals, o.HasDecimals = int(v), true
	return err
}
