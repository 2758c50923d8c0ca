package sofab_test

import (
	"strings"
	"testing"

	"github.com/sofab-go/sofab"
)

// A fault below the value of a map is named as one below a field is.
func TestPathsBelowMapValues(t *testing.T) {
	type inner struct {
		Texts []string `sofab:"0,elem.maxlen=1"`
	}
	type value struct {
		Text  string `sofab:"0,maxlen=1"`
		Must  *int   `sofab:"1,required"`
		Inner inner  `sofab:"2"`
	}
	type top struct {
		M map[string]value         `sofab:"0"`
		N map[int8]map[int8]*value `sofab:"1"`
	}
	one := 1
	for _, c := range []struct {
		v    any
		want string
	}{
		{top{M: map[string]value{"a": {Text: "xy", Must: &one}}}, `sofab: top.M["a"].Text: 2 bytes are more than maxlen=1 allows`},
		{top{M: map[string]value{"a": {}}}, `sofab: top.M["a"].Must: required field is nil`},
		{
			top{M: map[string]value{"": {Must: &one, Inner: inner{[]string{"", "xy"}}}}},
			`sofab: top.M[""].Inner.Texts[1]: 2 bytes are more than maxlen=1 allows`,
		},
		{top{N: map[int8]map[int8]*value{-1: {2: {}}}}, `sofab: top.N[-1][2].Must: required field is nil`},
		{map[string]value{"a": {}}, `sofab: ["a"].Must: required field is nil`},
	} {
		if _, err := sofab.Marshal(c.v); err == nil || err.Error() != c.want {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
}

// The same on decode, where a map is an array of entries.
func TestPathsBelowMapValuesOnDecode(t *testing.T) {
	type value struct {
		Must  *int `sofab:"1,required"`
		Inner struct {
			Must *int `sofab:"0,required"`
		} `sofab:"2"`
	}
	type top struct {
		M map[string]value `sofab:"0"`
	}
	for _, c := range []struct{ data, want string }{
		{"06 06 0e 07 07 07", "sofab: top.M[0].Must: required field with id 1 is missing"},
		{"06 06 0e 09 02 07 07 07", "sofab: top.M[0].Inner.Must: required field with id 0 is missing"},
		{"06 06 02 0a 61 07 07", "sofab: top.M[0].Must: required field with id 1 is missing"},
	} {
		for _, s := range decodeSurfaces {
			if strings.HasPrefix(s.name, "Feeder") { // more may come
				continue
			}
			if err := s.decode(unhex(t, c.data), new(top)); err == nil || err.Error() != c.want {
				t.Errorf("%s, %s: got %v, want %s", c.data, s.name, err, c.want)
			}
		}
	}
}
