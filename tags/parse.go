package tags

import (
	"fmt"
	"strconv"
	"strings"
)

const (
	maxID    = 1<<31 - 1
	maxSteps = 16 // steps of a path before its key

	blanks = " \t\n\v\f\r"
)

// Tag is the content of one sofab struct tag.
type Tag struct {
	// Ignore says that the tag is "-". Everything else is zero then.
	Ignore bool

	// HasID says that the tag starts with an id. A tag without one has at least
	// one option; whether its field may do without an id is not judged here.
	HasID bool

	// ID is the field's id, 0 to 2147483647; 0 without HasID.
	ID uint32

	Options
}

// Error is a fault in the text of a tag.
type Error struct {
	// Tag is the whole text that was parsed.
	Tag string

	// Pos is the byte position of the fault in Tag: of the byte at fault inside
	// a value or next to "-", else of the first byte of the id or of the option
	// (of its path). It is len(Tag) where something is missing at the end.
	Pos int

	// Reason names what is at fault, Pos, and what to write instead where that
	// is known.
	Reason string
}

// Error returns the quoted tag and the reason, without a package prefix.
func (e *Error) Error() string {
	return fmt.Sprintf("tag %q: %s", e.Tag, e.Reason)
}

// Parse parses the value of a sofab struct tag: the text as
// [reflect.StructTag.Get] returns it, without the key sofab and its quotes.
//
// The first fault in the order of the text is returned as an [*Error], together
// with the zero Tag. No two results share Options.
func Parse(tag string) (Tag, error) {
	s := scanner{tag: tag}
	switch tag {
	case "":
		return Tag{}, s.fault(0, `empty tag at byte 0 (write an id such as "1", or "-" to leave the field out)`)
	case "-":
		return Tag{Ignore: true}, nil
	}
	var t Tag
	if err := s.id(&t); err != nil {
		return Tag{}, err
	}
	for s.pos < len(tag) {
		if err := s.option(&t.Options); err != nil {
			return Tag{}, err
		}
	}
	return t, nil
}

// scanner walks over the text of one tag. Between its steps pos is at a comma
// or at the end.
type scanner struct {
	tag string
	pos int
}

// fault returns the *Error at pos. The format has to name pos itself.
func (s *scanner) fault(pos int, format string, args ...any) error {
	return &Error{Tag: s.tag, Pos: pos, Reason: fmt.Sprintf(format, args...)}
}

// at reports whether the next byte is c.
func (s *scanner) at(c byte) bool {
	return s.pos < len(s.tag) && s.tag[s.pos] == c
}

// until consumes and returns the text before the first of the bytes in stops,
// or all that is left.
func (s *scanner) until(stops string) string {
	text := s.tag[s.pos:]
	if i := strings.IndexAny(text, stops); i >= 0 {
		text = text[:i]
	}
	s.pos += len(text)
	return text
}

// id consumes the id, which may be empty before a comma.
func (s *scanner) id(t *Tag) error {
	if s.tag[0] == '-' && !isDigit(s.tag[1]) {
		return s.fault(1, `%q at byte 1 stands beside "-" (an ignored field has nothing else: remove it)`, s.tag[1:])
	}
	text := s.until(",")
	if text == "" {
		return nil
	}
	if name, _, _ := strings.Cut(text, "="); find(name) != nil {
		return s.fault(0, "option %q at byte 0 stands where the id belongs (%s)", name, idHint(name))
	}
	if i := strings.IndexAny(text, blanks); i >= 0 {
		return s.fault(i, "blank at byte %d (remove it)", i)
	}
	if text[0] == '+' || text[0] == '-' {
		return s.fault(0, "id %q at byte 0 has a sign (ids are plain numbers from 0 to %d)", text, maxID)
	}
	if !isDigits(text) {
		return s.fault(0, `id %q at byte 0 is not a number (the id comes first; a name is an option, as in "1,name=total")`, text)
	}
	if text[0] == '0' && text != "0" {
		return s.fault(0, "id %q at byte 0 has a leading zero (remove it)", text)
	}
	id, ok := parseDecimal(text, 0, maxID)
	if !ok {
		return s.fault(0, "id %q at byte 0 is above %d", text, maxID)
	}
	t.HasID, t.ID = true, uint32(id)
	return nil
}

// option consumes a comma and the option after it, and applies the option to
// top or to the inner value its path leads to.
func (s *scanner) option(top *Options) error {
	s.pos++ // the comma
	start := s.pos
	path := s.until(",=")
	if path == "" {
		if s.at('=') {
			return s.fault(start, `"=" at byte %d without an option before it`, start)
		}
		return s.fault(start, "empty option at byte %d (remove the comma before it)", start)
	}
	if i := strings.IndexAny(path, blanks); i >= 0 {
		return s.fault(start+i, "blank at byte %d (remove it)", start+i)
	}
	o, key, err := s.walk(top, path, start)
	if err != nil {
		return err
	}
	prefix := path[:len(path)-len(key)]
	row := find(key)
	if row == nil {
		return s.fault(start, "unknown option %q at byte %d%s", path, start, hint(prefix, key))
	}
	if row.refused != "" {
		return s.fault(start, "option %q at byte %d does not exist here (%s)", path, start, row.refused)
	}
	if first := o.Pos(key); first >= 0 {
		return s.fault(start, "option %q at byte %d is given twice, first at byte %d (keep one)", path, start, first)
	}
	value, err := s.argument(row, prefix, start)
	if err != nil {
		return err
	}
	if err := row.apply(o, key, value); err != nil {
		return s.fault(start, "option %q at byte %d: %v", path, start, err)
	}
	o.Given = append(o.Given, Given{Key: key, Path: path, Pos: start})
	return nil
}

// walk follows the steps of a path that starts at byte start. It returns the
// options of the value the path leads to, which it makes where they are
// missing, and the key at the end of the path.
func (s *scanner) walk(top *Options, path string, start int) (o *Options, key string, err error) {
	if strings.Count(path, ".") > maxSteps {
		return nil, "", s.fault(start, "path at byte %d has more than %d steps", start, maxSteps)
	}
	o, key = top, path
	for {
		step, rest, found := strings.Cut(key, ".")
		if !found {
			break
		}
		next := o.inner(step)
		if next == nil {
			return nil, "", s.fault(start, "unknown path %q in %q at byte %d%s", step, path, start, stepHint(step))
		}
		if *next == nil {
			*next = new(Options)
		}
		o, key = *next, rest
	}
	if key == "" || o.inner(key) != nil {
		return nil, "", s.fault(start, `path %q at byte %d has no option (write one after it, as in "elem.maxlen=64")`, path, start)
	}
	return o, key, nil
}

// argument consumes "=" and the value of an option that starts at byte start,
// or nothing where the option stands without a value, and holds that against
// what the option takes.
func (s *scanner) argument(row *option, prefix string, start int) (string, error) {
	path, example := prefix+row.name, prefix+row.example()
	if !s.at('=') {
		if row.takes == takesValue || row.takes == takesValueOrEmpty {
			return "", s.fault(start, "option %q at byte %d needs a value (such as %q)", path, start, example)
		}
		return "", nil
	}
	if row.takes == takesNone {
		return "", s.fault(start, "option %q at byte %d takes no value (write %q)", path, start, path)
	}
	s.pos++ // the equals sign
	var text string
	var err error
	isQuoted := s.at('\'')
	if isQuoted {
		text, err = s.quoted()
	} else {
		text, err = s.bare()
	}
	if err != nil {
		return "", err
	}
	if text == "" && !(isQuoted && row.takes == takesValueOrEmpty) {
		return "", s.fault(start, "option %q at byte %d has an empty value (write one, such as %q)", path, start, example)
	}
	return text, nil
}

// bare consumes an unquoted value, which may come out empty.
func (s *scanner) bare() (string, error) {
	start := s.pos
	text := s.until(",")
	i := strings.IndexAny(text, blanks+`'"=`)
	if i < 0 {
		return text, nil
	}
	pos := start + i
	switch text[i] {
	case '\'':
		return "", s.fault(pos, `quote at byte %d inside an unquoted value (write the whole value in single quotes, the inner quote as \')`, pos)
	case '"':
		return "", s.fault(pos, "double quote at byte %d (write the value in single quotes)", pos)
	case '=':
		return "", s.fault(pos, `"=" at byte %d inside an unquoted value (write the value in single quotes)`, pos)
	default:
		return "", s.fault(pos, "blank at byte %d (remove it, or write the value in single quotes)", pos)
	}
}

// quoted consumes a value in single quotes and returns its unquoted text.
func (s *scanner) quoted() (string, error) {
	start := s.pos
	var text strings.Builder
	for s.pos++; s.pos < len(s.tag); {
		switch c := s.tag[s.pos]; c {
		case '\'':
			s.pos++
			if s.pos < len(s.tag) && !s.at(',') {
				return "", s.fault(s.pos, `text at byte %d after the closing quote (write a quote inside the value as \')`, s.pos)
			}
			return text.String(), nil
		case '\\':
			b, n := unescape(s.tag[s.pos:])
			if n == 0 {
				return "", s.fault(s.pos, `bad escape at byte %d (there are \', \\, \n and \xHH)`, s.pos)
			}
			text.WriteByte(b)
			s.pos += n
		default:
			text.WriteByte(c)
			s.pos++
		}
	}
	return "", s.fault(start, "quote at byte %d is not closed", start)
}

// unescape returns the byte that the escape at the start of text stands for and
// the length of the escape, 0 if it is none.
func unescape(text string) (b byte, n int) {
	if len(text) < 2 {
		return 0, 0
	}
	switch text[1] {
	case '\'', '\\':
		return text[1], 2
	case 'n':
		return '\n', 2
	case 'x':
		if len(text) < 4 {
			return 0, 0
		}
		v, err := strconv.ParseUint(text[2:4], 16, 8)
		if err != nil {
			return 0, 0
		}
		return byte(v), 4
	}
	return 0, 0
}

// parseDecimal parses a plain decimal number from lo to hi: digits without a
// leading zero, and a minus sign only before a number below zero.
func parseDecimal(text string, lo, hi int64) (int64, bool) {
	v, err := strconv.ParseInt(text, 10, 64)
	if err != nil || v < lo || v > hi || strconv.FormatInt(v, 10) != text {
		return 0, false
	}
	return v, true
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isDigits(text string) bool {
	for i := range len(text) {
		if !isDigit(text[i]) {
			return false
		}
	}
	return text != ""
}
