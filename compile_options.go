package sofab

import (
	"reflect"
	"slices"
	"strings"

	"github.com/sofab-go/sofab/tags"
)

// optionFits lists for each option the kinds of values it goes with, by the letters
// of the tag grammar. Options that are not listed go with every kind.
var optionFits = map[string]string{
	"maxlen": "SYXN raw", "count": "LM", "default": "UIFBSYLX time", "presence": "LMYSUIFBP raw fields", "required": "LMYSUIFBP raw fields",
	"string": "SYX", "blob": "SYX", "array": "L", "enum": "UI", "bits": "U",
	"u8": "UI", "u16": "UI", "u32": "UI", "u64": "UI", "i8": "UI", "i16": "UI", "i32": "UI", "i64": "UI",
	"fp32": "F", "fp64": "F", "union": "TE", "default_id": "TE", "inline": "TP",
	"unit": "UIF", "decimals": "F", "time": "time", "duration": "duration", "unknown": "unknown", "maxsize": "",
}

// fieldOptions are the options that only a field has, not a value inside one.
var fieldOptions = []string{"default", "required", "inline", "unknown", "name", "desc", "deprecated"}

// fits checks that the options of a value go with its kind, given as a letter.
func (c *compiler) fits(o *tags.Options, kind string, t reflect.Type, s site) bool {
	ok := true
	if o.HasDefaultID && !o.Union && strings.Contains("TE", kind) {
		c.fault(s, o.Pos("default_id"), "option \"default_id\" needs the option \"union\"")
		ok = false
	}
	for _, g := range o.Given {
		if fits, listed := optionFits[g.Key]; listed && !strings.Contains(fits, kind) {
			c.fault(s, g.Pos, "option %q does not go with type %v"+otherOption(&g, kind), g.Path, t)
			ok = false
		}
	}
	for _, inner := range []struct {
		path  string
		o     *tags.Options
		kinds string
	}{{"elem", o.Elem, "L"}, {"key", o.Key, "M"}, {"val", o.Val, "M"}} {
		if inner.o != nil && !strings.Contains(inner.kinds, kind) {
			hint := ""
			if kind == "Y" {
				hint = "; add \"array\" to make it an array of integers"
			}
			c.fault(s, firstGiven(inner.o).Pos, "%q: type %v has no %s%s", firstGiven(inner.o).Path, t, inner.path, hint)
			ok = false
		}
		if inner.o == nil {
			continue
		}
		for _, g := range inner.o.Given {
			if slices.Contains(fieldOptions, g.Key) {
				c.fault(s, g.Pos, "%q: option %q is one of a field, not of a value inside it", g.Path, g.Key)
				ok = false
			}
		}
	}
	return ok
}

// otherOption says what to do instead of giving an option to a value of a kind that it
// does not go with, where that is known.
func otherOption(g *tags.Given, kind string) string {
	element := strings.TrimSuffix(g.Path, g.Key) + "elem." + g.Key
	switch g.Key {
	case "count":
		if strings.Contains("SY", kind) {
			return "; its bound is maxlen"
		}
	case "bits":
		if kind == "I" {
			return "; use an unsigned type"
		}
	case "presence", "required", "default":
		if kind == "T" {
			return "; use a pointer to tell an absent struct from one at its defaults"
		}
	case "maxlen":
		if kind == "L" {
			return "; the bound of its length is count, that of its elements " + element
		}
	case "string", "blob", "enum", "u8", "u16", "u32", "u64", "i8", "i16", "i32", "i64", "fp32", "fp64", "unit", "decimals":
		if kind == "L" {
			return "; use " + element
		}
	}
	return ""
}

// firstGiven is the first option at or below o.
func firstGiven(o *tags.Options) tags.Given {
	if len(o.Given) > 0 {
		return o.Given[0]
	}
	for _, inner := range []*tags.Options{o.Elem, o.Key, o.Val} {
		if inner != nil {
			return firstGiven(inner)
		}
	}
	return tags.Given{}
}
