package wire

import (
	"errors"
	"testing"
)

func TestErr(t *testing.T) {
	seen := make(map[string]int)
	for code := More; code >= BadWidth; code-- {
		err := Err(code)
		if err == nil || err != Err(code) {
			t.Fatalf("code %d: %v, then %v", code, err, Err(code))
		}
		if got, want := errors.Is(err, ErrInvalid), code != More; got != want {
			t.Errorf("code %d: is ErrInvalid: %v", code, got)
		}
		if errors.Is(err, ErrMore) != (code == More) {
			t.Errorf("code %d: is ErrMore", code)
		}
		if other, ok := seen[err.Error()]; ok {
			t.Errorf("codes %d and %d have one text: %v", code, other, err)
		}
		seen[err.Error()] = code
	}
	if err := Err(0); err != nil {
		t.Errorf("Err(0) = %v", err)
	}
	if err := Err(5); err != nil {
		t.Errorf("Err(5) = %v", err)
	}
}

func TestNoAllocation(t *testing.T) {
	b := make([]byte, 0, 64)
	allocs := testing.AllocsPerRun(100, func() {
		b := AppendHeader(b[:0], MaxID, Fixlen)
		b = AppendFixlenWord(b, MaxFixlen, String)
		b = AppendSigned(b, -1<<63)
		b = AppendFloat64(b, 1)
		_, _, n := ConsumeHeader(b)
		_, _, m := ConsumeFixlenWord(b[n:])
		_, _ = ConsumeSigned(b[n+m:])
		_ = Err(BadID)
		_ = BadUTF8("\xff")
	})
	if allocs != 0 {
		t.Errorf("%v allocations", allocs)
	}
}
