package sofab_test

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/sofab-go/sofab"
)

// A tag that reflect does not see, because of a slip of the pen, is not taken for none:
// the field would be numbered anew, promoted, or left out.
func TestTagsThatCannotBeRead(t *testing.T) {
	type Inner struct {
		N int `sofab:"9"`
	}
	for _, c := range []struct {
		tag    reflect.StructTag
		hidden bool
	}{
		{`json:"a",sofab:"1"`, true},
		{`json:"a";sofab:"1"`, true},
		{`json:a sofab:"1"`, true},
		{`sofab: "1"`, true},
		{`sofab:1`, true},
		{`sofab:'1'`, true},
		{`sofab "1"`, true},
		{`sofab:"1,default='it\'s'"`, true},
		{`sofab:"1`, true},
		{`Sofab:"1"`, true},
		{`json:"a" SOFAB:"1"`, true},
		{`json:"sofab:1"`, false},
		{`json:"a" doc:"see sofab: x"`, false},
		{`json:"a"`, false},
		{`sofabuffers:"1"`, false},
		{``, false},
	} {
		for _, f := range []reflect.StructField{
			{Name: "F", Type: reflect.TypeFor[int]()},
			{Name: "Inner", Type: reflect.TypeFor[Inner](), Anonymous: true},
			{Name: "f", Type: reflect.TypeFor[int](), PkgPath: "x"},
		} {
			f.Tag = c.tag
			typ := reflect.StructOf([]reflect.StructField{f})
			_, err := sofab.Marshal(reflect.Zero(typ).Interface())
			if got := err != nil && strings.Contains(err.Error(), "cannot be read"); got != c.hidden {
				t.Errorf("%s on %s: %v", c.tag, f.Name, err)
			}
			var fault *sofab.TagError
			if c.hidden && (!errors.As(err, &fault) || fault.Field != f.Name) {
				t.Errorf("%s on %s: %v", c.tag, f.Name, err)
			}
		}
	}
	typ := reflect.StructOf([]reflect.StructField{{Name: "F", Type: reflect.TypeFor[int](), Tag: `json:"a",sofab:"1"`}})
	_, err := sofab.Marshal(reflect.Zero(typ).Interface())
	want := "sofab: type struct{F}: field F: the tags `json:\"a\",sofab:\"1\"` cannot be read; " +
		"write `key:\"value\" key:\"value\"`, with sofab as the key, and see go vet"
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}
