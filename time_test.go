package sofab_test

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/sofab-go/sofab"
)

// sameTime compares instants and what of the zone stands on the wire: whether it is UTC
// by name, and the offset. Equal alone would hide a zone that was lost.
var sameTime = cmp.Comparer(func(a, b time.Time) bool {
	_, offsetA := a.Zone()
	_, offsetB := b.Zone()
	return a.Equal(b) && offsetA == offsetB && (a.Location() == time.UTC) == (b.Location() == time.UTC)
})

// checkBothWays demands that the struct v points to encodes to these bytes on every
// encode surface, and that they decode to want on every decode surface.
func checkBothWays(t *testing.T, v any, encoded string, want any, options ...cmp.Option) {
	t.Helper()
	input := unhex(t, encoded)
	checkEncode(t, "value", v, input)
	checkDecodesAs(t, input, want, options...)
}

// checkDecodesAs demands that the input decodes to what want points to on every
// surface.
func checkDecodesAs(t *testing.T, input []byte, want any, options ...cmp.Option) {
	t.Helper()
	for _, s := range decodeSurfaces {
		got := fresh(want)
		if err := s.decode(input, got); err != nil {
			t.Errorf("%s: %x: %v", s.name, input, err)
			continue
		}
		if diff := cmp.Diff(want, got, options...); diff != "" {
			t.Errorf("%s: %x (-want +got):\n%s", s.name, input, diff)
		}
	}
}

// checkRefused demands that the input is invalid on every surface, with the same text,
// which holds the given parts.
func checkRefused(t *testing.T, input string, schema any, parts ...string) {
	t.Helper()
	first := ""
	for _, s := range decodeSurfaces {
		err := s.decode(unhex(t, input), fresh(schema))
		if got := verdict(t, err); got != "R" {
			t.Errorf("%s: %s: verdict %s (%v), want R", s.name, input, got, err)
			continue
		}
		// A frame around the message moves the offset.
		text, _, hasOffset := strings.Cut(err.Error(), " at offset ")
		if first == "" {
			first = err.Error()
		}
		if want, _, _ := strings.Cut(first, " at offset "); text != want || !hasOffset {
			t.Errorf("%s: %v\nbut by %s: %s", s.name, err, decodeSurfaces[0].name, first)
		}
	}
	for _, part := range parts {
		if !strings.Contains(first, part) {
			t.Errorf("%s: error %q does not say %q", input, first, part)
		}
	}
}

type timeStruct struct {
	At time.Time `sofab:"0"`
}

// instants are times that other libraries lost something of. The bytes are those of the
// struct form without its frame; rfc3339 is the text, or the part of an error.
var instants = []struct {
	name    string
	at      time.Time
	want    time.Time
	fields  string
	rfc3339 string
}{
	{"zero", time.Time{}, time.Time{}, "", ""},
	{"zero in local mean time", time.Time{}.In(time.FixedZone("LMT", 1172)), time.Time{}, "", ""},
	{"year 1 plus 1 ns", time.Time{}.Add(1), time.Time{}.Add(1), "01 ff db 8f f9 ce 03 08 01", "0001-01-01T00:00:00.000000001Z"},
	{"1677", time.Unix(0, math.MinInt64).UTC(), time.Unix(0, math.MinInt64).UTC(), "01 89 f4 8b dc 44 08 80 e4 9f 45", "1677-09-21T00:12:43.145224192Z"},
	{"1970", time.Unix(0, 0).UTC(), time.Unix(0, 0).UTC(), "01 00", "1970-01-01T00:00:00Z"},
	{"1970 minus 1 ns", time.Unix(0, -1).UTC(), time.Unix(0, -1).UTC(), "01 01 08 ff 93 eb dc 03", "1969-12-31T23:59:59.999999999Z"},
	{"2262", time.Unix(0, math.MaxInt64).UTC(), time.Unix(0, math.MaxInt64).UTC(), "01 88 f4 8b dc 44 08 ff af cb 97 03", "2262-04-11T23:47:16.854775807Z"},
	{"9999", time.Date(9999, 12, 31, 23, 59, 59, 999999999, time.UTC), time.Date(9999, 12, 31, 23, 59, 59, 999999999, time.UTC),
		"01 fe 85 a2 ff df 0e 08 ff 93 eb dc 03", "9999-12-31T23:59:59.999999999Z"},
	{"year 10000", time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC), "01 80 86 a2 ff df 0e", "!year outside of range"},
	{"+05:45", time.Date(2024, 1, 1, 0, 0, 0, 0, time.FixedZone("Nepal", 20700)), time.Date(2024, 1, 1, 0, 0, 0, 0, time.FixedZone("", 20700)),
		"01 c8 be 8d d9 0c 11 b8 c3 02", "2024-01-01T00:00:00+05:45"},
	{"-00:30", time.Date(2024, 1, 1, 0, 0, 0, 0, time.FixedZone("", -1800)), time.Date(2024, 1, 1, 0, 0, 0, 0, time.FixedZone("", -1800)),
		"01 90 9e 90 d9 0c 11 8f 1c", "2024-01-01T00:00:00-00:30"},
	{"offset 0 that is not UTC", time.Unix(5, 0).In(time.FixedZone("WET", 0)), time.Unix(5, 0).In(time.FixedZone("", 0)), "01 0a 11 00", "1970-01-01T00:00:05Z"},
	{"offset with seconds", time.Unix(5, 0).In(time.FixedZone("LMT", 1172)), time.Unix(5, 0).In(time.FixedZone("", 1172)), "01 0a 11 a8 12", "!no zone offset with seconds"},
	{"leap day", time.Date(2024, 2, 29, 12, 0, 0, 0, time.UTC), time.Date(2024, 2, 29, 12, 0, 0, 0, time.UTC), "01 80 c7 83 de 0c", "2024-02-29T12:00:00Z"},
}

func TestTimeStruct(t *testing.T) {
	for _, test := range instants {
		t.Run(test.name, func(t *testing.T) {
			encoded := ""
			if test.fields != "" {
				encoded = "06" + test.fields + "07"
			}
			checkBothWays(t, &timeStruct{test.at}, encoded, &timeStruct{test.want}, sameTime)

			// Behind a pointer, as the last element and as an element in front of it.
			pointed := struct {
				At *time.Time `sofab:"0"`
			}{&test.at}
			wantPointed := pointed
			wantPointed.At = &test.want
			checkBothWays(t, &pointed, "06"+test.fields+"07", &wantPointed, sameTime)

			type list struct {
				At []time.Time `sofab:"0"`
			}
			first := ""
			if test.fields != "" {
				first = "06" + test.fields + "07"
			}
			checkBothWays(t, &list{[]time.Time{test.at, test.at}}, "06"+first+"0e"+test.fields+"07 07",
				&list{[]time.Time{test.want, test.want}}, sameTime)
		})
	}
}

func TestTimeRFC3339(t *testing.T) {
	type text struct {
		At time.Time `sofab:"0,time=rfc3339"`
	}
	for _, test := range instants {
		t.Run(test.name, func(t *testing.T) {
			if why, ok := strings.CutPrefix(test.rfc3339, "!"); ok {
				err := checkEncodeFails(t, &text{test.at})
				if err == nil || !strings.Contains(err.Error(), "text.At: ") || !strings.Contains(err.Error(), why) {
					t.Errorf("error %v, want one at text.At that says %q", err, why)
				}
				return
			}
			want := test.want
			if _, offset := want.Zone(); offset == 0 {
				want = want.UTC()
			}
			encoded := ""
			if test.rfc3339 != "" {
				encoded = fmt.Sprintf("02 %x %x", append([]byte(nil), varintOf(uint64(len(test.rfc3339))<<3|2)...), test.rfc3339)
			}
			checkBothWays(t, &text{test.at}, encoded, &text{want}, sameTime)
		})
	}
}

// varintOf is the varint of u.
func varintOf(u uint64) []byte {
	var b []byte
	for ; u >= 0x80; u >>= 7 {
		b = append(b, byte(u)|0x80)
	}
	return append(b, byte(u))
}

// The zone of the machine must not show in what is decoded.
func TestTimeIsNotLocal(t *testing.T) {
	defer func(local *time.Location) { time.Local = local }(time.Local)
	time.Local = time.FixedZone("somewhere", 3600)
	type times struct {
		Struct time.Time `sofab:"0"`
		Text   time.Time `sofab:"1,time=rfc3339"`
		Unix   time.Time `sofab:"2,time=unix"`
	}
	now := time.Now() // with a monotonic reading
	for _, at := range []time.Time{now, now.UTC(), now.In(time.FixedZone("", 3600))} {
		data, err := sofab.Marshal(times{at, at, at})
		if err != nil {
			t.Fatal(err)
		}
		var got times
		if err := sofab.Unmarshal(data, &got); err != nil {
			t.Fatal(err)
		}
		if !got.Struct.Equal(at) || !got.Text.Equal(at) || got.Unix.Unix() != at.Unix() {
			t.Errorf("%v became %v", at, got)
		}
		for _, got := range []time.Time{got.Struct, got.Text, got.Unix} {
			if got.Location() == time.Local || got != got.Round(0) {
				t.Errorf("%v decoded to %v, which is local or has a monotonic reading", at, got)
			}
		}
	}
}

func TestTimeUnix(t *testing.T) {
	type unix struct {
		S  time.Time `sofab:"0,time=unix"`
		MS time.Time `sofab:"1,time=unixmilli"`
		US time.Time `sofab:"2,time=unixmicro"`
		NS time.Time `sofab:"3,time=unixnano"`
	}
	// Before 1970 the number is rounded down, not towards zero.
	at := time.Date(1970, 1, 1, 0, 59, 58, 123456789, time.FixedZone("", 3600))
	checkBothWays(t, &unix{at, at, at, at}, "01 03 09 a9 1d 11 ff 88 e5 01 19 d5 9b ce fd 0d", &unix{
		S:  time.Unix(-2, 0).UTC(),
		MS: time.UnixMilli(-1877).UTC(),
		US: time.UnixMicro(-1876544).UTC(),
		NS: time.Unix(0, -1876543211).UTC(),
	}, sameTime)

	// 1970 is not the zero time, which is absent.
	epoch := time.Unix(0, 0).UTC()
	checkBothWays(t, &unix{epoch, epoch, epoch, epoch}, "01 00 09 00 11 00 19 00", &unix{epoch, epoch, epoch, epoch}, sameTime)
	checkBothWays(t, &unix{}, "", &unix{})

	low, high := time.Unix(0, math.MinInt64).UTC(), time.Unix(0, math.MaxInt64).UTC()
	checkBothWays(t, &unix{NS: low}, "19 ff ff ff ff ff ff ff ff ff 01", &unix{NS: low}, sameTime)
	checkBothWays(t, &unix{NS: high}, "19 fe ff ff ff ff ff ff ff ff 01", &unix{NS: high}, sameTime)
	for _, v := range []unix{{NS: low.Add(-1)}, {NS: high.Add(1)}, {NS: time.Unix(math.MaxInt64, 0)},
		{MS: time.Unix(math.MaxInt64, 0)}, {US: time.Unix(math.MinInt64/1000000-2, 0)}} {
		if err := checkEncodeFails(t, &v); err == nil || !strings.Contains(err.Error(), "out of range of an i64") {
			t.Errorf("error %v, want one that says out of range", err)
		}
	}
}

// A native array has no gaps, and a pointer has presence: there the zero time is the
// number of its instant.
func TestTimeUnixZeroIsWritten(t *testing.T) {
	type list struct {
		At   []time.Time  `sofab:"0,elem.time=unix"`
		Ptr  *time.Time   `sofab:"1,time=unixmicro"`
		Pair [2]time.Time `sofab:"2,elem.time=unix"`
	}
	zero := time.Time{}
	epoch := time.Unix(0, 0).UTC()
	v := list{[]time.Time{zero, epoch}, &zero, [2]time.Time{epoch, zero}}
	checkBothWays(t, &v, "04 02 ff db 8f f9 ce 03 00  09 ff ff dd f2 df ff df dc 01  14 02 00 ff db 8f f9 ce 03", &v, sameTime)
	v = list{At: []time.Time{zero}, Pair: [2]time.Time{epoch, epoch}}
	checkBothWays(t, &v, "04 01 ff db 8f f9 ce 03  14 02 00 00", &v, sameTime)
	checkBothWays(t, &list{}, "", &list{})

	err := checkEncodeFails(t, &struct {
		At []time.Time `sofab:"0,elem.time=unixnano"`
	}{[]time.Time{epoch, zero}})
	if err == nil || !strings.Contains(err.Error(), "At[1]: ") {
		t.Errorf("error %v, want one at At[1]", err)
	}
}

// Every element is settled on its own, in whatever pieces it arrives.
func TestTimeList(t *testing.T) {
	var v struct {
		At []time.Time `sofab:"0,elem.time=unixmilli"`
	}
	for i := range 300 {
		v.At = append(v.At, time.UnixMilli(int64(i-150)*123456789).UTC())
	}
	data, err := sofab.Marshal(&v)
	if err != nil {
		t.Fatal(err)
	}
	checkDecodesAs(t, data, &v, sameTime)
}

func TestTimeDecoding(t *testing.T) {
	for _, test := range []struct {
		name, input string
		want        time.Time
	}{
		{"empty frame", "06 07", time.Time{}},
		{"nothing but defaults", "06 08 00 07", time.Time{}},
		{"zero time in a zone", "06 01 ff db 8f f9 ce 03 11 a0 38 07", time.Time{}},
		{"no seconds", "06 08 05 07", time.Unix(0, 5).UTC()},
		{"offset alone", "06 11 a0 38 07", time.Unix(0, 0).In(time.FixedZone("", 3600))},
		{"other order", "06 11 a0 38 08 07 01 0a 07", time.Unix(5, 7).In(time.FixedZone("", 3600))},
		{"continued", "06 01 0a 07 06 08 07 07", time.Unix(5, 7).UTC()},
		{"continued with another offset", "06 01 0a 11 a0 38 07 06 11 b8 c3 02 07", time.Unix(5, 0).In(time.FixedZone("", 20700))},
		{"unknown and mistyped fields", "06 01 0a 1a 0a 61 09 02 07", time.Unix(5, 0).UTC()},
		{"mistyped", "01 0a", time.Time{}},
	} {
		t.Run(test.name, func(t *testing.T) {
			checkDecodesAs(t, unhex(t, test.input), &timeStruct{test.want}, sameTime)
		})
	}
	type text struct {
		At time.Time `sofab:"0,time=rfc3339"`
	}
	checkDecodesAs(t, unhex(t, "02 02"), &text{}, sameTime)

	checkRefused(t, "06 08 80 94 eb dc 03 07", &timeStruct{}, "timeStruct.At: ", "1000000000 nanoseconds")
	checkRefused(t, "06 01 0a 11 80 c6 0a 07", &timeStruct{}, "timeStruct.At: ", "86400 seconds")
	checkRefused(t, "06 01 0a 11 ff c5 0a 07", &timeStruct{}, "timeStruct.At: ", "-86400 seconds")
	checkRefused(t, "06 08 80 80 80 80 10 07", &timeStruct{}, "timeStruct.At.Nanoseconds: ", "u32")
	checkRefused(t, "02 0a 78", &text{}, "text.At: ", "RFC 3339")
	checkRefused(t, "06 02 0a 78 07", &struct {
		At []time.Time `sofab:"0,elem.time=rfc3339"`
	}{}, "At[0]: ")
	checkRefused(t, "06 0e 06 08 80 94 eb dc 03 07 07 07", &struct {
		In []timeStruct `sofab:"0"`
	}{}, "In[1].At: ")
}

// Options.Merge keeps what no field arrives for. A time is one value and not three: the
// new one takes nothing of the old.
func TestTimeMerge(t *testing.T) {
	codec, err := sofab.Options{Merge: true}.Codec()
	if err != nil {
		t.Fatal(err)
	}
	v := timeStruct{time.Unix(5, 7).In(time.FixedZone("", 3600))}
	if err := codec.Unmarshal(nil, &v); err != nil || v.At.Nanosecond() != 7 {
		t.Errorf("nothing turned it into %v, %v", v, err)
	}
	if err := codec.Unmarshal(unhex(t, "06 01 0c 07"), &v); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(timeStruct{time.Unix(6, 0).UTC()}, v, sameTime); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestTimeDefault(t *testing.T) {
	type times struct {
		Unix time.Time `sofab:"0,time=unix,default=1700000000"`
		Text time.Time `sofab:"1,time=rfc3339,default='2024-02-29T12:00:00+05:45'"`
	}
	unix := time.Unix(1700000000, 0).UTC()
	text := time.Date(2024, 2, 29, 12, 0, 0, 0, time.FixedZone("", 20700))
	checkBothWays(t, &times{unix, text}, "", &times{unix, text}, sameTime)
	// What does not show on the wire makes no difference.
	checkBothWays(t, &times{unix.Add(5), text}, "", &times{unix, text}, sameTime)
	checkBothWays(t, &times{}, "01 ff db 8f f9 ce 03  0a a2 01 "+fmt.Sprintf("%x", "0001-01-01T00:00:00Z"), &times{}, sameTime)
	checkBothWays(t, &times{time.Unix(0, 0), text}, "01 00", &times{time.Unix(0, 0).UTC(), text}, sameTime)
}

func TestTimeTagFaults(t *testing.T) {
	for _, test := range []struct {
		v    any
		want string
	}{
		{struct {
			A time.Time `sofab:"0,default=0"`
		}{}, "has no declared default"},
		{struct {
			A time.Time `sofab:"0,time=rfc3339,default=yesterday"`
		}{}, "is not a time by RFC 3339"},
		{struct {
			A time.Time `sofab:"0,presence"`
		}{}, `option "presence" does not go with type time.Time`},
		{struct {
			A time.Time `sofab:"0,maxlen=4"`
		}{}, `option "maxlen" does not go with type time.Time`},
		{struct {
			A time.Time `sofab:"0,duration=ms"`
		}{}, `option "duration" does not go with type time.Time`},
		{struct {
			A int64 `sofab:"0,time=unix"`
		}{}, `option "time" does not go with type int64`},
		{struct {
			A int64 `sofab:"0,duration=ms"`
		}{}, `option "duration" does not go with type int64`},
		{struct {
			A time.Duration `sofab:"0,time=unix"`
		}{}, `option "time" does not go with type time.Duration`},
		{struct {
			A time.Duration `sofab:"0,duration=ms,default=9223372036854775807"`
		}{}, "does not fit time.Duration"},
		{struct {
			time.Time
			A int `sofab:"3"`
		}{}, "exported field Time has no sofab tag; add `sofab:\"4\"`"},
		{struct {
			A time.Time `sofab:",inline"`
		}{}, `option "inline" does not go with type time.Time`},
		{struct {
			*time.Time
			A int `sofab:"3"`
		}{}, "exported field Time has no sofab tag; add `sofab:\"4\"`"},
	} {
		checkTagFault(t, test.v, test.want)
	}
}

// checkTagFault demands that the type of v is refused, in both directions alike.
func checkTagFault(t *testing.T, v any, want string) {
	t.Helper()
	_, err := sofab.Marshal(v)
	var fault *sofab.TagError
	if !errors.As(err, &fault) || !strings.Contains(err.Error(), want) {
		t.Errorf("%T: error %v, want a TagError that says %s", v, err, want)
		return
	}
	if again := sofab.Unmarshal(nil, reflect.New(reflect.TypeOf(v)).Interface()); again == nil || again.Error() != err.Error() {
		t.Errorf("%T: Unmarshal says %v, Marshal %v", v, again, err)
	}
}

// An embedded time with an id is a field like any other, although the struct has the
// methods of the time.
func TestTimeEmbedded(t *testing.T) {
	type event struct {
		time.Time `sofab:"1"`
		Name      string `sofab:"2"`
	}
	v := event{time.Unix(5, 0).UTC(), "a"}
	checkBothWays(t, &v, "0e 01 0a 07 12 0a 61", &v, sameTime)
	type pointing struct {
		*time.Time `sofab:"1"`
		Name       string `sofab:"2"`
	}
	p := pointing{&v.Time, "a"}
	checkBothWays(t, &p, "0e 01 0a 07 12 0a 61", &p, sameTime)
}

// A type defined as a time is one, although it has lost the methods.
func TestTimeDefinedType(t *testing.T) {
	type stamp time.Time
	type dated struct {
		At stamp `sofab:"0,time=unix"`
	}
	v := dated{stamp(time.Unix(5, 0).UTC())}
	checkEncode(t, "value", &v, unhex(t, "01 0a"))
	var got dated
	if err := sofab.Unmarshal(unhex(t, "01 0a"), &got); err != nil || !time.Time(got.At).Equal(time.Time(v.At)) {
		t.Errorf("got %v, %v", time.Time(got.At), err)
	}
}

func TestTimeTopLevel(t *testing.T) {
	at := time.Unix(5, 0).UTC()
	checkBothWays(t, &at, "06 01 0a 07", &at, sameTime)
	d := time.Second
	checkBothWays(t, &d, "01 80 a8 d6 b9 07", &d)
}

func TestDuration(t *testing.T) {
	type durations struct {
		Native      time.Duration   `sofab:"0"`
		NS          time.Duration   `sofab:"1,duration=ns"`
		US          time.Duration   `sofab:"2,duration=us"`
		Thousandths time.Duration   `sofab:"3,duration=ms"`
		S           time.Duration   `sofab:"4,duration=s"`
		List        []time.Duration `sofab:"5,elem.duration=ms"`
		Short       time.Duration   `sofab:"6,duration=s,u8"`
		Ptr         *time.Duration  `sofab:"7,duration=s"`
		Always      time.Duration   `sofab:"8,duration=s,presence"`
	}
	ms := time.Millisecond
	v := durations{-1, 2, 3000, -4 * ms, 5000 * ms, []time.Duration{0, ms}, 255000 * ms, new(time.Duration), 0}
	checkBothWays(t, &v, "01 01 09 04 11 06 19 07 21 0a 2c 02 00 02 30 ff 01 39 00 41 00", &v)
	checkBothWays(t, &durations{}, "41 00", &durations{})

	for _, test := range []struct {
		v    durations
		want string
	}{
		{durations{US: 1001}, "durations.US: duration 1.001µs is not a multiple of 1µs"},
		{durations{Thousandths: -ms - 1}, "durations.Thousandths: "},
		{durations{S: ms}, "durations.S: "},
		{durations{List: []time.Duration{ms, 1}}, "durations.List[1]: "},
		{durations{Short: 256000 * ms}, "durations.Short: 256 does not fit u8"},
		{durations{Short: -1000 * ms}, "durations.Short: -1 does not fit u8"},
	} {
		if err := checkEncodeFails(t, &test.v); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("error %v, want %s", err, test.want)
		}
	}
	checkDecodesAs(t, unhex(t, "21 88 f4 8b dc 44 41 00"), &durations{S: 9223372036 * time.Second})
	checkRefused(t, "21 8a f4 8b dc 44", &durations{}, "durations.S: 9223372037 does not fit time.Duration")
	checkRefused(t, "2c 02 00 fe ff ff ff ff ff ff ff ff 01", &durations{}, "durations.List[1]: ", "does not fit time.Duration")
	checkRefused(t, "30 80 02", &durations{}, "durations.Short: 256 does not fit u8")

	type defaults struct {
		D time.Duration   `sofab:"0,default=1500000000"`
		M time.Duration   `sofab:"1,duration=ms,default=1500"`
		L []time.Duration `sofab:"2,elem.duration=s,default='[1,2]'"`
	}
	full := defaults{1500 * ms, 1500 * ms, []time.Duration{1000 * ms, 2000 * ms}}
	checkBothWays(t, &full, "", &full)
	checkBothWays(t, &defaults{}, "01 00 09 00 14 00", &defaults{})
}

func TestTimeDoesNotAllocate(t *testing.T) {
	if raceEnabled {
		t.Skip("pools drop values at random")
	}
	v := struct {
		At    time.Time     `sofab:"0"`
		Unix  time.Time     `sofab:"1,time=unix"`
		D     time.Duration `sofab:"2"`
		Short time.Duration `sofab:"3,duration=s"`
	}{time.Now(), time.Now(), 5, 3 * time.Second}
	dst := make([]byte, 0, 256)
	if n := testing.AllocsPerRun(100, func() {
		if _, err := sofab.MarshalAppend(dst, &v); err != nil {
			t.Fatal(err)
		}
	}); n != 0 {
		t.Errorf("MarshalAppend allocates %v times", n)
	}
}
