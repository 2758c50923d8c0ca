package sofab_test

import (
	"math"
	"testing"

	"github.com/sofab-go/sofab"
)

type (
	loweredMaps struct {
		Scores map[string]int64    `sofab:"0"`
		Names  map[uint32]string   `sofab:"1"`
		Flags  map[[2]byte]bool    `sofab:"2"`
		Groups map[string][]string `sofab:"3"`
	}
	loweredPayment struct {
		Cash *uint32      `sofab:"0"`
		Card *loweredCard `sofab:"1"`
		Note *string      `sofab:"2"`
	}
	loweredCard struct {
		Number string `sofab:"0"`
	}
	loweredShape  interface{ isLoweredShape() }
	loweredCircle struct {
		Radius float64 `sofab:"0"`
	}
	loweredSquare struct {
		Side uint16 `sofab:"0"`
	}
	loweredUnions struct {
		Pay    loweredPayment   `sofab:"0,union"`
		Pays   []loweredPayment `sofab:"1,elem.union"`
		Shape  loweredShape     `sofab:"2"`
		Shapes []loweredShape   `sofab:"3"`
	}
	loweredAny struct {
		Value any            `sofab:"0"`
		List  []any          `sofab:"1"`
		Dict  map[string]any `sofab:"2"`
	}
)

func (loweredCircle) isLoweredShape()  {}
func (*loweredSquare) isLoweredShape() {}

func init() {
	sofab.RegisterUnion[loweredShape](sofab.Arm[loweredCircle](1), sofab.Arm[*loweredSquare](2))
}

func TestLoweringMap(t *testing.T) {
	checkLowering(t, "map", []lowered{
		{"empty", &loweredMaps{}},
		{"sorted by bytes", &loweredMaps{Scores: map[string]int64{"b": 2, "a": 1, "B": 3, "é": -4, "aa": 5}}},
		{"zero value", &loweredMaps{Scores: map[string]int64{"a": 0}}},
		{"gap in front", &loweredMaps{Scores: map[string]int64{"": 0, "a": 1}}},
		{"zero key alone", &loweredMaps{Scores: map[string]int64{"": 0}}},
		{"zero key with a value", &loweredMaps{Scores: map[string]int64{"": 7, "a": 1}}},
		{"sorted by number", &loweredMaps{Names: map[uint32]string{10: "ten", 9: "nine", 0: "", math.MaxUint32: "max"}}},
		{"blob keys", &loweredMaps{Flags: map[[2]byte]bool{{1, 0}: true, {0, 2}: false, {0, 1}: true}}},
		{"lists", &loweredMaps{Groups: map[string][]string{"x": {"a", "", "b"}, "y": nil}}},
	})
}

func TestLoweringUnion(t *testing.T) {
	checkLowering(t, "union", []lowered{
		{"empty", &loweredUnions{}},
		{"scalar", &loweredUnions{Pay: loweredPayment{Cash: ptr(uint32(5))}}},
		{"scalar at its default", &loweredUnions{Pay: loweredPayment{Cash: ptr(uint32(0))}}},
		{"struct", &loweredUnions{Pay: loweredPayment{Card: &loweredCard{"4711"}}}},
		{"struct at its default", &loweredUnions{Pay: loweredPayment{Card: &loweredCard{}}}},
		{"empty string", &loweredUnions{Pay: loweredPayment{Note: ptr("")}}},
		{"list", &loweredUnions{Pays: []loweredPayment{{}, {Note: ptr("x")}, {}}}},
		{"interface", &loweredUnions{Shape: loweredCircle{1.5}}},
		{"interface at its default", &loweredUnions{Shape: &loweredSquare{}}},
		{"interfaces", &loweredUnions{Shapes: []loweredShape{loweredCircle{}, nil, &loweredSquare{7}, nil}}},
	})
}

func TestLoweringAny(t *testing.T) {
	checkLowering(t, "any", []lowered{
		{"nil", &loweredAny{}},
		{"unsigned", &loweredAny{Value: uint64(math.MaxUint64)}},
		{"unsigned zero", &loweredAny{Value: uint64(0)}},
		{"signed", &loweredAny{Value: int64(math.MinInt64)}},
		{"signed zero", &loweredAny{Value: int64(0)}},
		{"bool", &loweredAny{Value: true}},
		{"false", &loweredAny{Value: false}},
		{"double", &loweredAny{Value: -1.5}},
		{"double zero", &loweredAny{Value: 0.0}},
		{"text", &loweredAny{Value: "é"}},
		{"empty text", &loweredAny{Value: ""}},
		{"bytes", &loweredAny{Value: []byte{0, 255}}},
		{"empty bytes", &loweredAny{Value: []byte{}}},
		{"float", &loweredAny{Value: float32(0.25)}},
		{"list", &loweredAny{Value: []any{"a", nil, []any{true}, nil}}},
		{"empty list", &loweredAny{Value: []any{}}},
		{"dict", &loweredAny{Value: map[string]any{"b": map[string]any{"c": int64(-1)}, "a": nil, "": 0.5}}},
		{"empty dict", &loweredAny{Value: map[string]any{}}},
		{"unsigneds", &loweredAny{Value: []uint64{1, 300}}},
		{"signeds", &loweredAny{Value: []int64{-1, 0}}},
		{"doubles", &loweredAny{Value: []float64{0.5}}},
		{"empty doubles", &loweredAny{Value: []float64{}}},
		{"floats", &loweredAny{Value: []float32{0.5, 0}}},
		{"field of lists", &loweredAny{List: []any{nil, uint64(1), nil}}},
		{"field of dicts", &loweredAny{Dict: map[string]any{"a": nil, "b": "x"}}},
	})
}
