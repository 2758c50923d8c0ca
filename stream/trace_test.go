package stream_test

import (
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"github.com/sofab-go/sofab/stream"
	"github.com/sofab-go/sofab/wire"
)

// policy says, from the id alone, what a receiver wants of a field, so that pull and
// push can be compared.
type policy struct {
	name     string
	limits   stream.Limits
	declines bool // decline every seventh id
	bounds   bool // a bound of 5 on every third id, a width of 8 on every other one
	verbatim bool
}

func (p policy) wants(id wire.ID) bool { return !p.declines || id%7 != 3 }

func (p policy) bound(id wire.ID) int {
	if p.bounds && id%3 == 1 {
		return 5
	}
	return 0
}

func (p policy) width(id wire.ID) uint {
	if p.bounds && id%2 == 1 {
		return 8
	}
	return 64
}

var policies = []policy{
	{name: "all"},
	{name: "caps", limits: stream.Limits{Array: 4, String: 4, Blob: 4}},
	{name: "message", limits: stream.Limits{Message: 20}},
	{name: "bounds", bounds: true, limits: stream.Limits{Array: 9, String: 9, Blob: 9}},
	{name: "declines", declines: true, bounds: true},
	{name: "verbatim", verbatim: true},
}

// trace is the text of what a message holds, one line per event.
type trace struct{ strings.Builder }

func (t *trace) add(format string, args ...any) { fmt.Fprintf(t, format+"\n", args...) }

// verdict adds the end of the trace. An input of size bytes that ends too early has
// its end as offset.
func (t *trace) verdict(err error, size int) string {
	var s *stream.SyntaxError
	at := int64(size)
	if errors.As(err, &s) {
		at = s.Offset
	}
	switch {
	case err == nil || err == io.EOF:
		t.add("complete")
	case errors.Is(err, stream.ErrIncomplete):
		t.add("incomplete at %d", at)
	case errors.Is(err, stream.ErrInvalid):
		t.add("invalid at %d: %v", at, s.Err)
	case errors.Is(err, stream.ErrLimit):
		t.add("limit at %d", at)
	default:
		t.add("error %v", err)
	}
	return t.String()
}

// visitor writes a trace from the events of a Feeder.
type visitor struct {
	trace
	policy
	id    wire.ID
	words string
	value []string
	bytes []byte
}

func (v *visitor) Unsigned(id wire.ID, u uint64) error {
	if !wire.Fits(u, v.width(id)) {
		return wire.Err(wire.BadWidth)
	}
	v.add("%d unsigned %d", id, u)
	return nil
}

func (v *visitor) Signed(id wire.ID, i int64) error {
	if !wire.Fits(wire.Zigzag(i), v.width(id)) {
		return wire.Err(wire.BadWidth)
	}
	v.add("%d signed %d", id, i)
	return nil
}

func (v *visitor) Float32(id wire.ID, f float32) error {
	v.add("%d fp32 %x", id, math.Float32bits(f))
	return nil
}

func (v *visitor) Float64(id wire.ID, f float64) error {
	v.add("%d fp64 %x", id, math.Float64bits(f))
	return nil
}

func (v *visitor) BeginPayload(id wire.ID, s wire.Subtype, length int) stream.Take {
	v.id, v.words, v.bytes = id, fmt.Sprintf("%v of %d", s, length), nil
	return stream.Take{Want: v.wants(id), Bound: v.bound(id)}
}

func (v *visitor) Payload(piece []byte) error {
	if len(piece) == 0 {
		return errors.New("empty piece")
	}
	v.bytes = append(v.bytes, piece...)
	return nil
}

func (v *visitor) EndPayload() error {
	v.add("%d %s: %x", v.id, v.words, v.bytes)
	return nil
}

func (v *visitor) BeginArray(f stream.Field, s wire.Subtype, count int) stream.Take {
	v.id, v.words, v.value = f.ID, fmt.Sprintf("%v %v of %d", f.Type, s, count), nil
	return stream.Take{Want: v.wants(f.ID), Bound: v.bound(f.ID), Width: v.width(f.ID)}
}

func (v *visitor) Unsigneds(run []uint64) error {
	return collect(v, run, func(u uint64) any { return u })
}
func (v *visitor) Signeds(run []int64) error { return collect(v, run, func(i int64) any { return i }) }
func (v *visitor) Float32s(run []float32) error {
	return collect(v, run, func(f float32) any { return math.Float32bits(f) })
}
func (v *visitor) Float64s(run []float64) error {
	return collect(v, run, func(f float64) any { return math.Float64bits(f) })
}

func collect[T any](v *visitor, run []T, text func(T) any) error {
	if len(run) == 0 {
		return errors.New("empty run")
	}
	for _, e := range run {
		v.value = append(v.value, fmt.Sprint(text(e)))
	}
	return nil
}

func (v *visitor) EndArray() error {
	v.add("%d %s: %v", v.id, v.words, v.value)
	return nil
}

func (v *visitor) BeginSequence(id wire.ID) bool {
	if v.wants(id) {
		v.add("%d {", id)
	}
	return v.wants(id)
}

func (v *visitor) EndSequence() error {
	v.add("}")
	return nil
}

// pushTrace feeds data in chunks of the sizes that cut returns. Each chunk is
// overwritten after it was fed.
func pushTrace(t *testing.T, data []byte, p policy, cut func() int) string {
	v := &visitor{policy: p}
	f := stream.NewFeeder(v)
	if err := f.SetLimits(p.limits); err != nil {
		t.Fatal(err)
	}
	f.SetVerbatim(p.verbatim)
	err := f.Feed(nil)
	for rest := data; len(rest) > 0; {
		chunk := append([]byte(nil), rest[:min(len(rest), cut())]...)
		rest = rest[len(chunk):]
		err = f.Feed(chunk)
		for i := range chunk {
			chunk[i] = 0xaa
		}
	}
	if again := f.Feed(nil); again != err {
		t.Errorf("%x: Feed says %v, then %v", data, err, again)
	}
	return v.verdict(err, len(data))
}

// walker writes a trace through a Decoder.
type walker struct {
	trace
	policy
	d      *stream.Decoder
	feed   func() bool // gives the next chunk, where the decoder is fed
	pieces bool        // read in pieces and runs
}

// again reports whether a call that returned err is worth repeating.
func (w *walker) again(err error) bool {
	switch {
	case err == iotest.ErrTimeout:
		return true
	case errors.Is(err, stream.ErrIncomplete):
		return w.feed != nil && w.feed()
	}
	return false
}

func retry[T any](w *walker, call func() (T, error)) (T, error) {
	for {
		v, err := call()
		if err == nil || !w.again(err) {
			return v, err
		}
	}
}

func (w *walker) walk() error {
	for {
		f, err := retry(w, w.d.Next)
		if err == io.EOF && w.feed != nil && w.feed() {
			continue
		}
		if err != nil {
			return err
		}
		if err := w.field(f); err != nil {
			return err
		}
	}
}

func (w *walker) field(f stream.Field) error {
	w.d.Bound(-1)
	if n := w.bound(f.ID); n > 0 {
		w.d.Bound(n)
	}
	switch f.Type {
	case wire.Unsigned:
		v, err := retry(w, func() (uint64, error) { return stream.ReadUnsigned[uint64](w.d, w.width(f.ID)) })
		if err == nil {
			w.add("%d unsigned %d", f.ID, v)
		}
		return err
	case wire.Signed:
		v, err := retry(w, func() (int64, error) { return stream.ReadSigned[int64](w.d, w.width(f.ID)) })
		if err == nil {
			w.add("%d signed %d", f.ID, v)
		}
		return err
	case wire.Fixlen:
		return w.fixlen(f.ID)
	case wire.SequenceStart:
		if !w.wants(f.ID) {
			return w.skip()
		}
		w.add("%d {", f.ID)
		return nil
	case wire.SequenceEnd:
		w.add("}")
		return nil
	}
	return w.array(f)
}

func (w *walker) skip() error {
	_, err := retry(w, func() (struct{}, error) { return struct{}{}, w.d.Skip() })
	return err
}

func (w *walker) fixlen(id wire.ID) error {
	s, err := retry(w, w.d.PeekSubtype)
	if err != nil {
		return err
	}
	length, err := retry(w, w.d.PeekLen)
	if err != nil {
		return err
	}
	var value any
	switch {
	case s == wire.FP32:
		var v float32
		v, err = retry(w, w.d.Float32)
		value = math.Float32bits(v)
	case s == wire.FP64:
		var v float64
		v, err = retry(w, w.d.Float64)
		value = math.Float64bits(v)
	case !w.wants(id):
		return w.skip()
	case w.pieces:
		var all []byte
		for {
			piece, err := retry(w, w.d.Chunk)
			if err == io.EOF {
				break
			}
			if err != nil {
				return err
			}
			all = append(all, piece...)
		}
		value = all
	case s == wire.String:
		value, err = retry(w, w.d.String)
	default:
		value, err = retry(w, w.d.Blob)
	}
	if err != nil {
		return err
	}
	if s < wire.String {
		w.add("%d %v %x", id, s, value)
	} else {
		w.add("%d %v of %d: %x", id, s, length, value)
	}
	return nil
}

func (w *walker) array(f stream.Field) error {
	count, err := retry(w, w.d.PeekLen)
	if err != nil {
		return err
	}
	if !w.wants(f.ID) {
		return w.skip()
	}
	var s wire.Subtype
	if f.Type == wire.FixlenArray {
		if s, err = w.d.PeekSubtype(); err != nil {
			return err
		}
	}
	width := w.width(f.ID)
	var value []string
	switch {
	case f.Type == wire.UnsignedArray:
		value, err = arrayOf(w, func(dst []uint64) ([]uint64, error) { return stream.ReadUnsigneds(w.d, dst, width) },
			func(dst []uint64) (int, error) { return stream.UnsignedRun(w.d, dst, width) },
			func(v uint64) any { return v })
	case f.Type == wire.SignedArray:
		value, err = arrayOf(w, func(dst []int64) ([]int64, error) { return stream.ReadSigneds(w.d, dst, width) },
			func(dst []int64) (int, error) { return stream.SignedRun(w.d, dst, width) },
			func(v int64) any { return v })
	case s == wire.FP32:
		value, err = arrayOf(w, w.d.Float32s, w.d.Float32Run, func(v float32) any { return math.Float32bits(v) })
	default:
		value, err = arrayOf(w, w.d.Float64s, w.d.Float64Run, func(v float64) any { return math.Float64bits(v) })
	}
	if err != nil {
		return err
	}
	w.add("%d %v %v of %d: %v", f.ID, f.Type, s, count, value)
	return nil
}

func arrayOf[T any](w *walker, whole func([]T) ([]T, error), run func([]T) (int, error), text func(T) any) ([]string, error) {
	all := make([]T, 1, 3)
	if w.pieces {
		dst := make([]T, 3)
		for {
			n, err := retry(w, func() (int, error) { return run(dst) })
			if err == io.EOF {
				break
			}
			if err != nil {
				return nil, err
			}
			all = append(all, dst[:n]...)
		}
	} else {
		var err error
		if all, err = retry(w, func() ([]T, error) { return whole(all) }); err != nil {
			return nil, err
		}
	}
	var texts []string
	for _, v := range all[1:] {
		texts = append(texts, fmt.Sprint(text(v)))
	}
	return texts, nil
}

// roughReader reads data in pieces of the sizes that cut returns, with empty reads,
// time-outs, and its end together with the last bytes or alone.
type roughReader struct {
	data []byte
	cut  func() int
	n    int
}

func (r *roughReader) Read(p []byte) (int, error) {
	r.n++
	if len(r.data) == 0 {
		return 0, io.EOF
	}
	if r.n%5 == 1 {
		return 0, nil
	}
	if r.n%5 == 3 {
		return 0, iotest.ErrTimeout
	}
	n := copy(p, r.data[:min(len(r.data), r.cut())])
	r.data = r.data[n:]
	switch {
	case len(r.data) == 0 && r.n%2 == 0:
		return n, io.EOF
	case r.n%7 == 2:
		return n, iotest.ErrTimeout
	}
	return n, nil
}

// fed is a decoder that gets data in chunks, each overwritten after it was fed.
func fed(data []byte, cut func() int) (*stream.Decoder, func() bool) {
	d := stream.NewChunkDecoder()
	return d, func() bool {
		if len(data) == 0 {
			return false
		}
		chunk := append([]byte(nil), data[:min(len(data), cut())]...)
		data = data[len(chunk):]
		if err := d.Feed(chunk); err != nil {
			panic(err)
		}
		for i := range chunk {
			chunk[i] = 0xaa
		}
		return true
	}
}

// surfaces are the ways into a decoder.
func surfaces(data []byte, cut func() int) map[string]*walker {
	reader := func(r io.Reader) *walker { return &walker{d: stream.NewDecoder(r)} }
	ws := map[string]*walker{
		"reader":   reader(strings.NewReader(string(data))),
		"one byte": reader(iotest.OneByteReader(strings.NewReader(string(data)))),
		"half":     reader(iotest.HalfReader(strings.NewReader(string(data)))),
		"data err": reader(iotest.DataErrReader(strings.NewReader(string(data)))),
		"timeout":  reader(iotest.TimeoutReader(strings.NewReader(string(data)))),
		"rough":    reader(&roughReader{data: data, cut: cut}),
		"fed":      new(walker),
	}
	ws["fed"].d, ws["fed"].feed = fed(data, cut)
	return ws
}

// run walks through a message of size bytes and returns the trace.
func (w *walker) run(t *testing.T, size int) string {
	t.Helper()
	if err := w.d.SetLimits(w.limits); err != nil {
		t.Fatal(err)
	}
	w.d.SetVerbatim(w.verbatim)
	err := w.walk()
	if err == io.EOF && w.d.InputOffset() != int64(size) {
		t.Errorf("complete at %d of %d bytes", w.d.InputOffset(), size)
	}
	text := w.verdict(err, size)
	if _, again := w.d.Next(); !errors.Is(err, stream.ErrIncomplete) && err != io.EOF && again != err {
		t.Errorf("error %v, then %v", err, again)
	}
	return text
}

// checkCuts asserts that the trace of data is the same through every surface.
func checkCuts(t *testing.T, data []byte, cut func() int) {
	t.Helper()
	for _, p := range policies {
		checkPolicy(t, data, p, cut)
	}
}

func checkPolicy(t *testing.T, data []byte, p policy, cut func() int) {
	t.Helper()
	want := pushTrace(t, data, p, func() int { return len(data) })
	for _, pieces := range []bool{false, true} {
		if p.limits.Message > 0 {
			break // does not hold for a slice
		}
		w := &walker{d: stream.NewBytesDecoder(data), policy: p, pieces: pieces}
		if diff := cmp.Diff(want, w.run(t, len(data))); diff != "" {
			t.Errorf("%x, policy %s, slice, pieces %v (-push +pull):\n%s", data, p.name, pieces, diff)
		}
	}
	for i, cut := range []func() int{func() int { return 1 }, func() int { return 7 }, cut} {
		if diff := cmp.Diff(want, pushTrace(t, data, p, cut)); diff != "" {
			t.Errorf("%x, policy %s, push in chunks %d (-whole +chunks):\n%s", data, p.name, i, diff)
		}
		for _, pieces := range []bool{false, true} {
			for surface, w := range surfaces(data, cut) {
				w.policy, w.pieces = p, pieces
				if diff := cmp.Diff(want, w.run(t, len(data))); diff != "" {
					t.Errorf("%x, policy %s, %s, pieces %v, cut %d (-push +pull):\n%s", data, p.name, surface, pieces, i, diff)
				}
			}
		}
	}
}

// randomCut returns sizes of chunks, mostly small ones.
func randomCut(seed uint64) func() int {
	r := rand.New(rand.NewPCG(seed, 1))
	return func() int {
		if r.IntN(8) == 0 {
			return 1 + r.IntN(60)
		}
		return 1 + r.IntN(4)
	}
}

// framing is the verdict of a message without any schema.
func framing(data []byte) error {
	d := stream.NewBytesDecoder(data)
	for {
		f, err := d.Next()
		if err == nil && f.Type == wire.SequenceStart {
			err = d.Skip()
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// checkFraming asserts that pull, push and Valid agree on a message of which nothing
// is wanted.
func checkFraming(t *testing.T, data []byte) {
	t.Helper()
	want := framing(data)
	if got := stream.Valid(data); got != (want == nil) {
		t.Errorf("%x: Valid is %v, the decoder says %v", data, got, want)
	}
	f := stream.NewFeeder(stream.Discard{})
	var got error
	for i := range data {
		got = f.Feed(data[i : i+1])
	}
	if errors.Is(want, stream.ErrIncomplete) {
		want = stream.ErrIncomplete
	}
	if diff := cmp.Diff(fmt.Sprint(want), fmt.Sprint(got)); diff != "" {
		t.Errorf("%x: (-pull +push)\n%s", data, diff)
	}
}

func FuzzChunks(f *testing.F) {
	for i, data := range seeds() {
		f.Add(data, uint64(i))
	}
	f.Fuzz(func(t *testing.T, data []byte, seed uint64) {
		if len(data) > 1000 {
			return
		}
		checkFraming(t, data)
		checkPolicy(t, data, policies[seed%uint64(len(policies))], randomCut(seed))
	})
}

func TestChunks(t *testing.T) {
	for i, data := range seeds() {
		for cut := range len(data) + 1 {
			checkFraming(t, data[:cut])
		}
		checkCuts(t, data, randomCut(uint64(i)))
		checkCuts(t, data[:len(data)/2], randomCut(uint64(i)))
	}
}
