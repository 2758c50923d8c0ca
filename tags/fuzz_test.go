package tags

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

var steps = []string{"elem", "key", "val"}

// grammar is the grammar of the package comment, written down a second time.
// What a value may say is not in it.
var grammar = regexp.MustCompile(`(?s)^(?:-|` +
	`(?:0|[1-9][0-9]{0,9})?` +
	`(?:,(?:(?:elem|key|val)\.){0,16}[a-z0-9_]+` +
	`(?:=(?:[^,'"= \t\n\v\f\r]+|'(?:[^'\\]|\\['\\n]|\\x[0-9a-fA-F]{2})*'))?)*` +
	`)$`)

func FuzzParse(f *testing.F) {
	for _, tt := range parseTests {
		f.Add(tt.tag)
	}
	for _, tt := range errorTests {
		f.Add(tt.tag)
	}
	f.Fuzz(func(t *testing.T, text string) {
		tag, err := Parse(text)
		if err != nil {
			checkError(t, text, tag, err)
			return
		}
		if !grammar.MatchString(text) {
			t.Errorf("Parse(%q) accepts what the grammar does not", text)
		}
		checkTag(t, text, tag)

		again := render(tag)
		got, err := Parse(again)
		if err != nil {
			t.Fatalf("Parse(%q), rendered from %q: %v", again, text, err)
		}
		checkTag(t, again, got)
		if diff := cmp.Diff(tag, got, cmpopts.IgnoreFields(Given{}, "Pos")); diff != "" {
			t.Errorf("%q rendered as %q (-first +second):\n%s", text, again, diff)
		}
	})
}

// checkError asserts what holds for every fault.
func checkError(t *testing.T, text string, tag Tag, err error) {
	t.Helper()
	if diff := cmp.Diff(Tag{}, tag); diff != "" {
		t.Errorf("Parse(%q) with an error (-zero +got):\n%s", text, diff)
	}
	var e *Error
	if !errors.As(err, &e) {
		t.Fatalf("Parse(%q): error is a %T", text, err)
	}
	if e.Tag != text || e.Pos < 0 || e.Pos > len(text) {
		t.Errorf("Parse(%q): error is about byte %d of %q", text, e.Pos, e.Tag)
	}
	if want := fmt.Sprintf("at byte %d", e.Pos); !strings.Contains(e.Reason, want) {
		t.Errorf("Parse(%q): no %q in %q", text, want, e.Reason)
	}
}

// checkTag asserts what holds for everything that parses.
func checkTag(t *testing.T, text string, tag Tag) {
	t.Helper()
	if tag.Ignore {
		if diff := cmp.Diff(Tag{Ignore: true}, tag); diff != "" {
			t.Errorf("Parse(%q) (-want +got):\n%s", text, diff)
		}
		return
	}
	n := checkOptions(t, text, "", &tag.Options)
	if n == 0 && !tag.HasID {
		t.Errorf("Parse(%q) has neither id nor option", text)
	}
	if tag.ID > maxID || !tag.HasID && tag.ID != 0 {
		t.Errorf("Parse(%q): id %d, has id %v", text, tag.ID, tag.HasID)
	}
}

// checkOptions asserts that the options under a path are where they say they
// are, and returns how many there are with those of inner values.
func checkOptions(t *testing.T, text, prefix string, o *Options) int {
	t.Helper()
	last := 0
	for _, g := range o.Given {
		end := g.Pos + len(g.Path)
		switch {
		case g.Path != prefix+g.Key:
			t.Errorf("Parse(%q): path %q of %q under %q", text, g.Path, g.Key, prefix)
		case g.Pos <= last || end > len(text) || text[g.Pos-1] != ',' || text[g.Pos:end] != g.Path:
			t.Errorf("Parse(%q): %q is not at byte %d", text, g.Path, g.Pos)
		case end < len(text) && text[end] != ',' && text[end] != '=':
			t.Errorf("Parse(%q): %q at byte %d ends too early", text, g.Path, g.Pos)
		case o.Pos(g.Key) != g.Pos:
			t.Errorf("Parse(%q): %q is given twice", text, g.Path)
		}
		last = g.Pos
	}
	n := len(o.Given)
	for _, step := range steps {
		inner := *o.inner(step)
		if inner == nil {
			continue
		}
		m := checkOptions(t, text, prefix+step+".", inner)
		if m == 0 {
			t.Errorf("Parse(%q): no option under %q", text, prefix+step)
		}
		n += m
	}
	return n
}

// render writes a tag that says the same: the options of a level in their
// order, those of inner values after them, every text in quotes.
func render(tag Tag) string {
	if tag.Ignore {
		return "-"
	}
	var b strings.Builder
	if tag.HasID {
		fmt.Fprint(&b, tag.ID)
	}
	renderOptions(&b, "", &tag.Options)
	return b.String()
}

func renderOptions(b *strings.Builder, prefix string, o *Options) {
	for _, g := range o.Given {
		fmt.Fprintf(b, ",%s%s", prefix, renderOption(o, g.Key))
	}
	for _, step := range steps {
		if inner := *o.inner(step); inner != nil {
			renderOptions(b, prefix+step+".", inner)
		}
	}
}

// renderOption writes the option of this key from the fields of o. A field that
// does not hold what Given says comes out as a text that does not parse, or
// parses to something else.
func renderOption(o *Options, key string) string {
	flags := map[string]bool{
		"presence": o.Presence, "required": o.Required, "union": o.Union, "inline": o.Inline,
		"unknown": o.Unknown, "deprecated": o.Deprecated,
		o.Form.String(): true, o.Width.String(): true,
		"enum": o.Enum && o.Members == nil, "bits": o.Bits && o.BitList == nil,
	}
	if flags[key] {
		return key
	}
	values := map[string]string{
		"maxlen": strconv.Itoa(o.MaxLen), "count": strconv.Itoa(o.Count), "maxsize": strconv.Itoa(o.MaxSize),
		"default": quote(o.Default), "name": quote(o.Name), "unit": quote(o.Unit), "desc": quote(o.Desc),
		"enum": joinList(o.Members), "bits": joinList(o.BitList),
		"default_id": strconv.FormatUint(uint64(o.DefaultID), 10), "decimals": strconv.Itoa(o.Decimals),
		"time": o.Time.String(), "duration": o.Duration.String(),
	}
	return key + "=" + values[key]
}

func quote(text string) string {
	return "'" + strings.NewReplacer("'", `\'`, `\`, `\\`, "\n", `\n`, "\x00", `\x00`).Replace(text) + "'"
}

func joinList[T int | int64](list []T) string {
	var b strings.Builder
	for i, v := range list {
		if i > 0 {
			b.WriteByte('|')
		}
		fmt.Fprint(&b, v)
	}
	return b.String()
}
