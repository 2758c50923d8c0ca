package sofab

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"time"

	"github.com/sofab-go/sofab/tags"
)

func init() {
	specialTypes[reflect.TypeFor[time.Time]()] = timeForm
	specialTypes[reflect.TypeFor[time.Duration]()] = durationForm
}

// isTime reports whether t is defined as time.Time is. It has none of its methods, and
// no other fields that could be written.
func isTime(t reflect.Type) bool {
	return t.Kind() == reflect.Struct && t.ConvertibleTo(reflect.TypeFor[time.Time]())
}

// timeFields stands for a time on the wire. The zero time has no fields. Every other
// time says its seconds, also where they are 0, so that 1970 is not the zero time. UTC
// has no offset; every other location has one, also where it is 0.
type timeFields struct {
	Seconds     *int64 `sofab:"0"` // since 1970-01-01 UTC
	Nanoseconds uint32 `sofab:"1"` // within the second
	Offset      *int32 `sofab:"2"` // of the zone, in seconds east of UTC

	seconds int64 // that Seconds points to, when it was loaded
	offset  int32
}

const (
	maxNanoseconds = 1e9       // a time has fewer
	maxZoneOffset  = 24 * 3600 // a zone is nearer to UTC, in seconds
	zoneSize       = 192       // memory of a time.Location without a name
)

// timeForm fills the form of a time.Time: a struct of three numbers, or what the option
// time asks for. The zero time is the default of every form.
//
//   - struct: [timeFields].
//   - unix, unixmilli, unixmicro, unixnano: the number of whole units since 1970, as an
//     i64. It is rounded down, as by time.Time.Unix, and the zone is lost. 1970 is
//     written as 0. Where the zero time must stand on the wire, as an element or behind
//     a pointer, it is the number of its instant, which unixnano cannot express.
//   - rfc3339: a string with as many decimals as needed. An empty string is the zero
//     time.
func timeForm(c *compiler, f *form, t reflect.Type, o *tags.Options, s site) bool {
	if !c.fits(o, "time", t, s) {
		return false
	}
	switch o.Time {
	case tags.TimeUnix:
		return c.unixTime(f, time.Second, s)
	case tags.TimeUnixMilli:
		return c.unixTime(f, time.Millisecond, s)
	case tags.TimeUnixMicro:
		return c.unixTime(f, time.Microsecond, s)
	case tags.TimeUnixNano:
		return c.unixTime(f, time.Nanosecond, s)
	case tags.TimeRFC3339:
		x := c.standIn(f, reflect.TypeFor[string](), new(tags.Options), s)
		x.load, x.store, x.isZero = loadRFC3339, storeRFC3339, isZeroTime
		return true
	}
	x := c.standIn(f, reflect.TypeFor[timeFields](), new(tags.Options), s)
	x.load, x.store, x.isZero = loadTime, storeTime, isZeroTime
	x.whole = true
	return true
}

// unixTime fills the form of a time as a number of units since 1970.
func (c *compiler) unixTime(f *form, unit time.Duration, s site) bool {
	x := c.standIn(f, reflect.TypeFor[int64](), new(tags.Options), s)
	x.load, x.store, x.isZero = loadUnixTime, storeUnixTime, isZeroTime
	x.unit, x.explicit = int64(unit), true
	return true
}

func isZeroTime(_ *form, value pointer) bool { return at[time.Time](value).IsZero() }

func loadTime(_ *form, value, standIn pointer) error {
	t, w := at[time.Time](value), at[timeFields](standIn)
	if t.IsZero() {
		return nil
	}
	w.seconds, w.Nanoseconds = t.Unix(), uint32(t.Nanosecond())
	w.Seconds = &w.seconds
	if t.Location() == time.UTC {
		return nil
	}
	_, offset := t.Zone()
	if offset <= -maxZoneOffset || offset >= maxZoneOffset {
		return timeRefused(t, "its zone is a day or more away from UTC; set a zone with In")
	}
	w.offset = int32(offset)
	w.Offset = &w.offset
	return nil
}

func timeRefused(t *time.Time, why string) error {
	return &UnsupportedValueError{Value: reflect.ValueOf(*t), Str: "time cannot be written: " + why}
}

func storeTime(d *decodeState, _ *form, value, standIn pointer) error {
	t, w := at[time.Time](value), at[timeFields](standIn)
	if w.Seconds == nil && w.Nanoseconds == 0 && w.Offset == nil {
		*t = time.Time{}
		return nil
	}
	if w.Nanoseconds >= maxNanoseconds {
		return d.refuse("time with %d nanoseconds; there are fewer than %d in a second", w.Nanoseconds, int64(maxNanoseconds))
	}
	seconds := int64(0)
	if w.Seconds != nil {
		seconds = *w.Seconds
	}
	zone := time.UTC
	if w.Offset != nil {
		offset := int(*w.Offset)
		if offset <= -maxZoneOffset || offset >= maxZoneOffset {
			return d.refuse("time with a zone offset of %d seconds; it is less than a day", offset)
		}
		if !d.charge(zoneSize) {
			return d.fault
		}
		zone = time.FixedZone("", offset)
	}
	setTime(t, time.Unix(seconds, int64(w.Nanoseconds)).In(zone))
	return nil
}

// setTime sets t to v. The zero time has no zone.
func setTime(t *time.Time, v time.Time) {
	if v.IsZero() {
		v = time.Time{}
	}
	*t = v
}

// loadUnixTime sets an int64 to the units since 1970, rounded down.
func loadUnixTime(f *form, value, standIn pointer) error {
	t := at[time.Time](value)
	perSecond := int64(time.Second) / f.proxy.unit
	seconds, units := t.Unix(), int64(t.Nanosecond())/f.proxy.unit
	if seconds < 0 {
		// Towards zero, so that the first nanoseconds of the range do not overflow.
		seconds, units = seconds+1, units-perSecond
	}
	n := seconds * perSecond
	if n/perSecond != seconds || units > 0 && n > math.MaxInt64-units || units < 0 && n < math.MinInt64-units {
		return timeRefused(t, fmt.Sprintf("%v is out of range of an i64 in units of %v; use time=struct", t, time.Duration(f.proxy.unit)))
	}
	*at[int64](standIn) = n + units
	return nil
}

func storeUnixTime(_ *decodeState, f *form, value, standIn pointer) error {
	n := *at[int64](standIn)
	perSecond := int64(time.Second) / f.proxy.unit
	setTime(at[time.Time](value), time.Unix(n/perSecond, n%perSecond*f.proxy.unit).UTC())
	return nil
}

func loadRFC3339(_ *form, value, standIn pointer) error {
	t := at[time.Time](value)
	if t.IsZero() {
		*at[string](standIn) = time.Time{}.Format(time.RFC3339)
		return nil
	}
	if _, offset := t.Zone(); offset%60 != 0 {
		return timeRefused(t, "RFC 3339 has no zone offset with seconds; use UTC or time=struct")
	}
	b, err := t.MarshalText()
	if err != nil {
		return timeRefused(t, err.Error()+"; use time=struct")
	}
	*at[string](standIn) = stringOf(b)
	return nil
}

// storeRFC3339 reads a time independently of the local zone.
func storeRFC3339(d *decodeState, _ *form, value, standIn pointer) error {
	t, text := at[time.Time](value), *at[string](standIn)
	if text == "" {
		*t = time.Time{}
		return nil
	}
	var v time.Time
	if err := v.UnmarshalText([]byte(text)); err != nil {
		return d.refuse("%q is not a time by RFC 3339", text[:min(len(text), 64)])
	}
	if text[len(text)-1] == 'Z' {
		setTime(t, v.UTC())
		return nil
	}
	if !d.charge(zoneSize) {
		return d.fault
	}
	_, offset := v.Zone()
	setTime(t, v.In(time.FixedZone("", offset)))
	return nil
}

// durationForm fills the form of a time.Duration: an integer, signed as the Go type,
// that counts nanoseconds or what the option duration asks for. A remainder is an error.
func durationForm(c *compiler, f *form, t reflect.Type, o *tags.Options, s site) bool {
	plain := *o
	plain.Given = slices.DeleteFunc(slices.Clone(o.Given), func(g tags.Given) bool { return g.Key == "duration" })
	if !c.fits(&plain, "I", t, s) {
		return false
	}
	var unit time.Duration
	switch o.Duration {
	case tags.DurationUS:
		unit = time.Microsecond
	case tags.DurationMS:
		unit = time.Millisecond
	case tags.DurationS:
		unit = time.Second
	default:
		return c.integer(f, t, &plain, s, true)
	}
	x := c.standIn(f, reflect.TypeFor[int64](), &plain, s)
	if x == nil {
		return false
	}
	x.load, x.store, x.isZero = loadDuration, storeDuration, isZeroDuration
	x.unit = int64(unit)
	return true
}

func isZeroDuration(_ *form, value pointer) bool { return *at[time.Duration](value) == 0 }

func loadDuration(f *form, value, standIn pointer) error {
	v := *at[time.Duration](value)
	if int64(v)%f.proxy.unit != 0 {
		return &UnsupportedValueError{Value: reflect.ValueOf(v), Str: fmt.Sprintf("duration %v is not a multiple of %v; round it or use duration=ns", v, time.Duration(f.proxy.unit))}
	}
	*at[int64](standIn) = int64(v) / f.proxy.unit
	return nil
}

func storeDuration(d *decodeState, f *form, value, standIn pointer) error {
	n, unit := *at[int64](standIn), f.proxy.unit
	v := n * unit
	if v/unit != n {
		return &BoundError{Offset: d.headAt, Bound: "time.Duration", Limit: math.MaxInt64 / unit, Got: n}
	}
	*at[time.Duration](value) = time.Duration(v)
	return nil
}
