package sofab_test

import (
	"fmt"
	"math"
	"math/big"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/sofab-go/sofab"
)

var sameBig = cmp.Options{
	cmp.Comparer(func(a, b big.Int) bool { return a.Cmp(&b) == 0 }),
	cmp.Comparer(func(a, b big.Rat) bool { return a.Cmp(&b) == 0 }),
	cmp.Comparer(func(a, b big.Float) bool { return a.Cmp(&b) == 0 && a.Signbit() == b.Signbit() }),
}

func TestBigInt(t *testing.T) {
	type numbers struct {
		Ptr   *big.Int   `sofab:"0"`
		Value big.Int    `sofab:"1,maxlen=10"`
		List  []*big.Int `sofab:"2"`
		Flat  []big.Int  `sofab:"3"`
		Limit *big.Int   `sofab:"4,maxlen=2"`
	}
	huge := new(big.Int).Lsh(big.NewInt(1), 64)
	checkBothWays(t, &numbers{}, "", &numbers{}, sameBig)
	v := numbers{Ptr: new(big.Int), List: []*big.Int{big.NewInt(1), nil, big.NewInt(0)}, Flat: make([]big.Int, 2)}
	checkBothWays(t, &v, "02 0b 00 16 02 13 01 01 12 0b 00 07 1e 0a 0b 00 07", &v, sameBig)
	v = numbers{Ptr: huge, Value: *new(big.Int).Neg(huge), Limit: big.NewInt(-255)}
	checkBothWays(t, &v, "02 53 01 01 0000000000000000 0a 53 02 01 0000000000000000 22 13 02 ff", &v, sameBig)

	err := checkEncodeFails(t, &numbers{Limit: big.NewInt(256)})
	if err == nil || !strings.Contains(err.Error(), "numbers.Limit: 3 bytes are more than maxlen=2 allows") {
		t.Errorf("error %v", err)
	}

	// The blob of a nil last element is empty; it reads as zero like the gap of one
	// before it.
	checkBothWays(t, &numbers{List: []*big.Int{nil, nil}}, "16 0a 03 07", &numbers{List: []*big.Int{nil, new(big.Int)}}, sameBig)
	checkDecodesAs(t, unhex(t, "02 03"), &numbers{Ptr: new(big.Int)}, sameBig)
	checkDecodesAs(t, unhex(t, "02 23 02 00 00 05"), &numbers{Ptr: big.NewInt(-5)}, sameBig)
	checkRefused(t, "02 0b 03", &numbers{}, "numbers.Ptr: ", "sign byte 3")
	checkRefused(t, "02 13 00 00", &numbers{}, "numbers.Ptr: ", "sign of zero and a magnitude")
	checkRefused(t, "02 0b 01", &numbers{}, "numbers.Ptr: ", "magnitude zero")
	checkRefused(t, "02 1b 02 00 00", &numbers{}, "numbers.Ptr: ", "magnitude zero")
	checkRefused(t, "16 0a 0b 03 07", &numbers{}, "numbers.List[1]: ")

	checkTagFault(t, struct {
		A big.Int `sofab:"0,default='hex:0105'"`
	}{}, `option "default" does not go with type big.Int`)
	checkTagFault(t, struct {
		A *big.Int `sofab:"0,string"`
	}{}, `option "string" does not go with type big.Int`)
	checkTagFault(t, struct {
		big.Int
		A int `sofab:"3"`
	}{}, "exported field Int has no sofab tag")
}

// What is decoded shares no memory with the input, and a marshalled number is left as
// it was.
func TestBigIntOwnsItsMemory(t *testing.T) {
	data := unhex(t, "02 53 01 01 0000000000000000")
	var n *big.Int
	if err := sofab.Unmarshal(data, &n); err != nil {
		t.Fatal(err)
	}
	scrub(data)
	want := new(big.Int).Lsh(big.NewInt(1), 64)
	if _, err := sofab.Marshal(n); err != nil || n.Cmp(want) != 0 {
		t.Errorf("got %v, %v, want %v", n, err, want)
	}
}

func TestBigText(t *testing.T) {
	type numbers struct {
		Rat   *big.Rat   `sofab:"0"`
		Float *big.Float `sofab:"1"`
		R     big.Rat    `sofab:"2,default=1/2"`
		F     big.Float  `sofab:"3"`
	}
	text := func(head byte, s string) string {
		return fmt.Sprintf("%02x %x %x ", head, varintOf(uint64(len(s))<<3|2), s)
	}
	half := *big.NewRat(1, 2)
	float := func(s string, precision uint) *big.Float {
		f, _, err := big.ParseFloat(s, 0, precision, big.ToNearestEven)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	for _, test := range []struct {
		v       numbers
		encoded string
	}{
		{numbers{R: half}, ""},
		{numbers{Rat: new(big.Rat), Float: new(big.Float), R: half}, text(0x02, "0") + text(0x0a, "0")},
		{numbers{Rat: big.NewRat(-3, 4)}, text(0x02, "-3/4") + text(0x12, "0")},
		{numbers{Rat: big.NewRat(12, 4), R: half}, text(0x02, "3")},
		{numbers{Float: big.NewFloat(1.5), R: half}, text(0x0a, "1.5")},
		{numbers{Float: big.NewFloat(0.1), R: half}, text(0x0a, "0x1.999999999999ap-04")},
		{numbers{Float: float("0.1", 64), R: half}, text(0x0a, "0.1")},
		{numbers{Float: float("-1e400", 200), R: half}, ""},
		{numbers{Float: float("0x1p+100000000", 200), R: half}, text(0x0a, "0x1p+100000000")},
		{numbers{Float: new(big.Float).SetInf(true), R: half}, text(0x0a, "-Inf")},
		{numbers{Float: big.NewFloat(math.Copysign(0, -1)), R: half}, text(0x0a, "-0")},
		{numbers{F: *big.NewFloat(2), R: half}, text(0x1a, "2")},
	} {
		if test.encoded == "" && test.v.Float != nil {
			data, err := sofab.Marshal(&test.v)
			if err != nil {
				t.Fatal(err)
			}
			test.encoded = fmt.Sprintf("%x", data)
		}
		checkBothWays(t, &test.v, test.encoded, &test.v, sameBig)
	}
	for _, input := range []string{"1e5", "1.5", "x", "1/0", "1/2/3", "0x10", " 1"} {
		checkRefused(t, text(0x02, input), &numbers{}, "numbers.Rat: ", "is not a fraction")
	}
	checkRefused(t, text(0x0a, "x"), &numbers{}, "numbers.Float: ", "is not a number")
	checkRefused(t, text(0x02, strings.Repeat("1", 1<<16+1)), &numbers{}, "numbers.Rat: ", "maxlen=65536")

	// A decimal of another language keeps all its digits.
	long := "3." + strings.Repeat("14159", 40)
	var n *big.Float
	if err := sofab.Unmarshal(unhex(t, text(0x02, long)), &n); err != nil || n.Text('f', 200) != long {
		t.Errorf("got %v, %v, want %s", n, err, long)
	}
	checkTagFault(t, struct {
		A big.Rat `sofab:"0,default=x"`
	}{}, "is not a fraction")
	checkTagFault(t, struct {
		A big.Float `sofab:"0,blob"`
	}{}, `option "blob" does not go with type big.Float`)
}
