package tags

import (
	"fmt"
	"strings"
)

// aliases are names from the schema language, from Go and from the tags of
// other packages for what is an option here. The keys are in lower case without
// hyphens and underscores.
var aliases = map[string]string{
	"len": "maxlen", "length": "maxlen", "maxlength": "maxlen", "maxbytes": "maxlen",
	"maxitems": "count", "maxcount": "count", "items": "count", "cap": "count",
	"nullable": "presence", "optional": "presence", "explicit": "presence", "present": "presence",
	"notnull": "required", "mandatory": "required",
	"text": "string", "bytes": "blob", "binary": "blob", "list": "array",
	"byte": "u8", "uint8": "u8", "uint16": "u16", "uint32": "u32", "uint64": "u64", "uint": "u64",
	"int8": "i8", "int16": "i16", "int32": "i32", "int64": "i64", "int": "i64",
	"float32": "fp32", "float": "fp32", "f32": "fp32", "float64": "fp64", "double": "fp64", "f64": "fp64",
	"bitfield": "bits", "bitset": "bits", "flags": "bits",
	"oneof": "union", "embed": "inline", "squash": "inline", "embedded": "inline",
	"remain": "unknown", "rest": "unknown", "extra": "unknown",
	"format": "time", "timestamp": "time",
	"title": "name", "units": "unit", "precision": "decimals",
	"description": "desc", "doc": "desc", "summary": "desc", "comment": "desc",
}

// stepAliases are the same for the steps of a path.
var stepAliases = map[string]string{
	"items": "elem", "item": "elem", "elems": "elem", "element": "elem", "elements": "elem",
	"keys": "key", "value": "val", "values": "val", "vals": "val",
}

// plain returns name in lower case without hyphens and underscores.
func plain(name string) string {
	return strings.NewReplacer("-", "", "_", "").Replace(strings.ToLower(name))
}

// hint returns what the error text of an unknown option proposes, in
// parentheses and with a space before them, or nothing. The option's path is
// prefix and name.
func hint(prefix, name string) string {
	if isDigits(name) {
		return ` (the numbers of a list are separated by "|")`
	}
	name, text, hasText := strings.Cut(name, ":")
	row := suggest(name)
	switch {
	case row == nil:
		return ""
	case row.refused != "":
		return " (" + row.refused + ")"
	case hasText && text != "" && row.takes != takesNone:
		return fmt.Sprintf(" (did you mean %q?)", prefix+row.name+"="+text)
	default:
		return fmt.Sprintf(" (did you mean %q?)", prefix+row.name)
	}
}

// idHint returns what the error text of an option in the place of the id
// proposes.
func idHint(name string) string {
	if row := find(name); row.refused != "" {
		return row.refused
	}
	if name == "inline" || name == "unknown" {
		return fmt.Sprintf("it has none: write %q", ","+name)
	}
	return fmt.Sprintf("the id comes first, as in %q", "1,"+name)
}

// stepHint is hint for an unknown step of a path.
func stepHint(step string) string {
	name := plain(step)
	if alias, ok := stepAliases[name]; ok {
		name = alias
	}
	if new(Options).inner(name) != nil {
		return fmt.Sprintf(" (did you mean %q?)", name)
	}
	return ` (a path is made of elem, key and val, as in "elem.maxlen")`
}

// suggest returns the option that an unknown name most likely stands for, nil
// if none is near: the same name in another spelling, the option behind an
// alias, the option that name is the beginning of, or the one with the fewest
// typing errors, at most one in three bytes.
func suggest(name string) *option {
	name = plain(name)
	for i := range options {
		if plain(options[i].name) == name {
			return &options[i]
		}
	}
	if alias, ok := aliases[name]; ok {
		return find(alias)
	}
	if len(name) >= 3 {
		for i := range options {
			if strings.HasPrefix(options[i].name, name) {
				return &options[i]
			}
		}
	}
	var best *option
	least := len(name)/3 + 1
	for i := range options {
		if d := distance(name, options[i].name, least); d < least {
			best, least = &options[i], d
		}
	}
	return best
}

// distance returns how many bytes have to be inserted, removed, replaced or
// swapped with their neighbour to make a into b. It may return limit instead of
// a number above it.
func distance(a, b string, limit int) int {
	if len(a)-len(b) >= limit || len(b)-len(a) >= limit {
		return limit
	}
	// Row i holds the distances of a[:i] to b[:0], b[:1], ... b.
	var before, last []int
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		before, last, row = last, row, make([]int, len(b)+1)
		row[0] = i
		for j := 1; j <= len(b); j++ {
			replace := last[j-1]
			if a[i-1] != b[j-1] {
				replace++
			}
			row[j] = min(replace, last[j]+1, row[j-1]+1)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
	}
	return row[len(b)]
}
