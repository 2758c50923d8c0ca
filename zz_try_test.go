package sofab_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"testing"

	"github.com/sofab-go/sofab"
)

type tryShape interface{ Area() float64 }
type tryCircle struct {
	R float64 `sofab:"0"`
}

func (c tryCircle) Area() float64 { return c.R }

type trySquare struct {
	S    int      `sofab:"0"`
	Next tryShape `sofab:"1"`
}

func (c *trySquare) Area() float64 { return 1 }
func init()                        { sofab.RegisterUnion[tryShape](sofab.Arm[tryCircle](1), sofab.Arm[*trySquare](3)) }

type tryU struct {
	A *int       `sofab:"1"`
	B *string    `sofab:"2"`
	C *tryCircle `sofab:"5"`
}
type tryAll struct {
	M map[string]int           `sofab:"0"`
	N map[int8]map[string]*int `sofab:"1,presence"`
	U tryU                     `sofab:"2,union"`
	L []tryU                   `sofab:"3,elem.union"`
	S tryShape                 `sofab:"4"`
	T []tryShape               `sofab:"5"`
	V any                      `sofab:"6"`
	D tryU                     `sofab:"7,union,default_id=2"`
}

func TestTry(t *testing.T) {
	one, s := 1, ""
	v := tryAll{M: map[string]int{"b": 2, "a": 1, "": 0}, N: map[int8]map[string]*int{-1: {"x": &one, "y": nil}, 5: {}},
		U: tryU{B: &s}, L: []tryU{{A: &one}, {}, {C: &tryCircle{1}}, {}}, S: &trySquare{1, tryCircle{}}, T: []tryShape{tryCircle{2}, nil, &trySquare{}, nil},
		V: map[string]any{"k": []any{nil, true, uint64(1), "x", nil}, "e": []any{}, "m": map[string]any{}, "n": nil}}
	b, err := sofab.Marshal(&v)
	fmt.Printf("%x %v\n", b, err)
	var w tryAll
	err = sofab.Unmarshal(b, &w)
	j, _ := json.Marshal(v)
	k, _ := json.Marshal(w)
	fmt.Println(err, "\n", string(j), "\n", string(k), reflect.DeepEqual(v, w))
	fmt.Println(sofab.Check[map[any]int](), sofab.Check[map[[1]any]int](), sofab.Check[map[*int]int](), sofab.Check[struct {
		A fmt.Stringer `sofab:"1"`
	}]())
	type M map[string]M
	m := M{}
	m["x"] = m
	_, err = sofab.Marshal(m)
	fmt.Println(err)
	var a []any
	a = []any{1, nil}
	a[1] = a
	_, err = sofab.Marshal(a)
	fmt.Println(err)
}

func TestTry2(t *testing.T) {
	var v any
	json.Unmarshal([]byte(`{"a":[1,"x",null,{"b":true,"c":{}}],"d":[]}`), &v)
	for _, x := range []any{v, &v} {
		b, err := sofab.Marshal(x)
		fmt.Printf("%x %v\n", b, err)
		var w any
		err = sofab.Unmarshal(b, &w)
		fmt.Println(err, reflect.DeepEqual(v, w), w)
		var m map[string]any
		err = sofab.Unmarshal(b, &m)
		fmt.Println(err, reflect.DeepEqual(v, m), m)
		var l []any
		err = sofab.Unmarshal(b, &l)
		fmt.Println(err, l)
	}
	var c any
	p := &c
	c = &p
	fmt.Println(sofab.Unmarshal([]byte{6, 0, 5, 7}, c), c)
	c = &c
	fmt.Println(sofab.Unmarshal([]byte{6, 0, 5, 7}, &c), c)
	c = &c
	_, err := sofab.Marshal(&c)
	fmt.Println(err)
	x := int8(1)
	s := struct {
		V any `sofab:"1"`
	}{&x}
	fmt.Println(sofab.Unmarshal([]byte{0xe, 8, 0xfe, 1, 7}, &s), x, s.V == any(&x))
	fmt.Println(sofab.Unmarshal([]byte{0xe, 8, 0x80, 2, 7}, &s), x, s.V == any(&x))
	fmt.Println(sofab.Unmarshal([]byte{}, &s), x, s.V == any(&x))
	fmt.Println(sofab.Unmarshal([]byte{0xe, 0, 0x80, 2, 7}, &s), x, s.V == any(&x))
}
