package sofab_test

import (
	"math"
	"strings"
	"syscall"
	"testing"

	"github.com/sofab-go/sofab"
)

// TestStringOfAllMemory has a string that is about as long as an int can say, behind
// enough others that their sum is not an int. Its bytes take no memory.
func TestStringOfAllMemory(t *testing.T) {
	type message struct {
		First  string `sofab:"1"`
		Second string `sofab:"2,blob"`
		Third  []byte `sofab:"3"`
	}
	b, err := syscall.Mmap(-1, 0, math.MaxInt-60, syscall.PROT_READ, syscall.MAP_PRIVATE|syscall.MAP_ANON|syscall.MAP_NORESERVE)
	if err != nil {
		t.Skip(err)
	}
	defer syscall.Munmap(b)
	const front, header = 3, 6
	for _, first := range []int{0, 40, 60 - front - header, 61 - front - header, 100} {
		for _, v := range []message{
			{First: strings.Repeat("x", first), Second: sofab.StringOf(b)},
			{First: strings.Repeat("x", first), Third: b},
		} {
			want := int64(len(b)) + header
			if first > 0 {
				want += front + int64(first)
			}
			n, err := sofab.Size(&v)
			if fits := want <= math.MaxInt; fits != (err == nil) || fits && int64(n) != want {
				t.Errorf("%d bytes in front: %d, %v, want %d", first, n, err, want)
			}
		}
	}
}
