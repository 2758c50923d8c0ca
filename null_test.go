package sofab_test

import (
	"database/sql"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/sofab-go/sofab"
)

// Valid is presence: an invalid value is absent, a valid one is written at its zero as
// well.
func TestSQLNull(t *testing.T) {
	type nested struct {
		A int `sofab:"0"`
		D int `sofab:"1,default=7"`
	}
	type nulls struct {
		Int64   sql.NullInt64           `sofab:"0"`
		Int32   sql.NullInt32           `sofab:"1"`
		Int16   sql.NullInt16           `sofab:"2"`
		Byte    sql.NullByte            `sofab:"3"`
		Float64 sql.NullFloat64         `sofab:"4"`
		Bool    sql.NullBool            `sofab:"5"`
		String  sql.NullString          `sofab:"6,maxlen=3"`
		Time    sql.NullTime            `sofab:"7,time=unix"`
		Uint    sql.Null[uint16]        `sofab:"8"`
		Struct  sql.Null[nested]        `sofab:"9"`
		List    sql.Null[[]string]      `sofab:"10"`
		Full    sql.NullTime            `sofab:"11"`
		Null    sql.Null[*int]          `sofab:"12"`
		Ptr     *sql.NullBool           `sofab:"13"`
		Array   [2]sql.Null[nested]     `sofab:"14"`
		Texts   []sql.NullString        `sofab:"15"`
		Numbers []sql.NullInt64         `sofab:"16"`
		Long    sql.Null[time.Duration] `sofab:"17,duration=s"`
	}
	checkBothWays(t, &nulls{}, "", &nulls{})

	zero := nulls{
		Int64: sql.NullInt64{Valid: true}, Int32: sql.NullInt32{Valid: true}, Int16: sql.NullInt16{Valid: true}, Byte: sql.NullByte{Valid: true},
		Float64: sql.NullFloat64{Valid: true}, Bool: sql.NullBool{Valid: true}, String: sql.NullString{Valid: true},
		Time: sql.NullTime{Valid: true}, Uint: sql.Null[uint16]{Valid: true}, Struct: sql.Null[nested]{V: nested{D: 7}, Valid: true},
		List: sql.Null[[]string]{Valid: true}, Full: sql.NullTime{Valid: true}, Null: sql.Null[*int]{V: new(int), Valid: true},
		Ptr: &sql.NullBool{Valid: true}, Long: sql.Null[time.Duration]{Valid: true},
	}
	checkBothWays(t, &zero, "01 00 09 00 11 00 18 00 22 41 0000000000000000 28 00 32 02"+
		"39 ff db 8f f9 ce 03 40 00 4e 07 56 07 5e 07 61 00 68 00 89 01 00", &zero)

	full := nulls{
		Int64: sql.NullInt64{Int64: -1, Valid: true}, String: sql.NullString{String: "abc", Valid: true},
		Time:    sql.NullTime{Time: time.Unix(5, 0).UTC(), Valid: true},
		Struct:  sql.Null[nested]{V: nested{A: 1}, Valid: true},
		List:    sql.Null[[]string]{V: []string{"", "a"}, Valid: true},
		Full:    sql.NullTime{Time: time.Unix(5, 0).UTC(), Valid: true},
		Array:   [2]sql.Null[nested]{1: {V: nested{A: 1, D: 7}, Valid: true}},
		Texts:   []sql.NullString{{}, {Valid: true}, {String: "a", Valid: true}},
		Numbers: []sql.NullInt64{{Valid: true}, {Int64: 3, Valid: true}},
		Long:    sql.Null[time.Duration]{V: time.Second, Valid: true},
	}
	checkBothWays(t, &full, "01 01 32 1a 616263 39 0a 4e 01 02 09 00 07 56 0a 0a 61 07 5e 01 0a 07"+
		"76 0e 01 02 07 07 7e 0a 02 12 0a 61 07 84 01 02 00 06 89 01 02", &full)

	// The value beside Valid=false is no part of the message.
	checkBothWays(t, &nulls{Int64: sql.NullInt64{Int64: 5}}, "", &nulls{})
	// A struct that is opened again is continued.
	checkDecodesAs(t, unhex(t, "4e 01 02 07 4e 09 0a 07"), &nulls{Struct: sql.Null[nested]{V: nested{A: 1, D: 5}, Valid: true}})
	// A time has presence through its pointer form as well.
	checkDecodesAs(t, unhex(t, "5e 01 0a 07 5e 08 07 07"), &nulls{Full: sql.NullTime{Time: time.Unix(5, 7).UTC(), Valid: true}})

	for _, test := range []struct {
		v    nulls
		want string
	}{
		{nulls{String: sql.NullString{String: "abcd", Valid: true}}, "nulls.String: 4 bytes are more than maxlen=3 allows"},
		{nulls{Numbers: []sql.NullInt64{{Valid: true}, {}}}, "nulls.Numbers[1]: nil element"},
		{nulls{Ptr: &sql.NullBool{}}, "nulls.Ptr: pointer to a nil pointer"},
		{nulls{Null: sql.Null[*int]{Valid: true}}, "nulls.Null: pointer to a nil pointer"},
	} {
		if err := checkEncodeFails(t, &test.v); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("error %v, want %s", err, test.want)
		}
	}
	checkRefused(t, "32 22 61626364", &nulls{}, "nulls.String: ", "maxlen=3")
}

func TestSQLNullRequired(t *testing.T) {
	type order struct {
		ID sql.NullInt64 `sofab:"1,required"`
	}
	v := order{sql.NullInt64{Valid: true}}
	checkEncode(t, "value", &v, unhex(t, "09 00"))
	var got order
	if err := sofab.Unmarshal(unhex(t, "09 00"), &got); err != nil || got != v {
		t.Errorf("got %v, %v, want %v", got, err, v)
	}
	if err := checkEncodeFails(t, &order{}); err == nil || !strings.Contains(err.Error(), "order.ID: required field is nil") {
		t.Errorf("error %v", err)
	}
	var missing *sofab.MissingFieldError
	if err := sofab.Unmarshal(nil, &v); !errors.As(err, &missing) || missing.Path != "order.ID" {
		t.Errorf("error %v", err)
	}
}

func TestSQLNullTagFaults(t *testing.T) {
	checkTagFault(t, struct {
		A sql.NullInt64 `sofab:"0,default=1"`
	}{}, "has no declared default")
	checkTagFault(t, struct {
		A sql.NullInt64 `sofab:"0,maxlen=1"`
	}{}, `option "maxlen" does not go with type int64`)
}
