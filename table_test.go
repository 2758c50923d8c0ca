package sofab_test

import (
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/sofab-go/sofab"
)

// A tableOrder is the type whose table DESIGN.md shows.
type tableOrder struct {
	Number  uint64            `sofab:"1"`
	Status  int               `sofab:"2,enum=0|1|2"`
	Paid    bool              `sofab:"3,default=true"`
	Price   float64           `sofab:"4,fp32"`
	Note    *string           `sofab:"5,maxlen=200"`
	Tags    []string          `sofab:"6,count=8,elem.maxlen=16"`
	Scores  [4]int16          `sofab:"7"`
	Placed  time.Time         `sofab:"8"`
	Labels  map[string]uint32 `sofab:"9"`
	Payment tablePayment      `sofab:"10,union"`
	*TableAudit
	Next  *tableOrder         `sofab:"20"`
	Other sofab.UnknownFields `sofab:",unknown"`
}

type tablePayment struct {
	Cash *uint64 `sofab:"1"`
	Card *string `sofab:"2,maxlen=19"`
}

type TableAudit struct {
	By string `sofab:"12,presence"`
}

// The table that DESIGN.md prints is the one that is compiled.
func TestTableInDesign(t *testing.T) {
	if strconv.IntSize < 64 {
		t.Skip("the offsets in DESIGN.md are those of a 64-bit platform")
	}
	design, err := os.ReadFile("DESIGN.md")
	if err != nil {
		t.Fatal(err)
	}
	_, after, _ := strings.Cut(string(design), "```table\n")
	shown, _, ok := strings.Cut(after, "```\n")
	if !ok {
		t.Fatal("DESIGN.md has no block ```table")
	}
	got := sofab.TableText(&tableOrder{})
	got = strings.ReplaceAll(got, "sofab_test.table", "")
	if diff := cmp.Diff(shown, got); diff != "" {
		t.Errorf("the table of tableOrder (-DESIGN.md +compiled):\n%s", diff)
	}
}

// The bytes of a field that DESIGN.md goes through.
func TestFieldInDesign(t *testing.T) {
	order := tableOrder{Paid: true, Tags: []string{"a", "", "b"}, TableAudit: nil}
	checkEncode(t, "", &order, unhex(t, "36 020a61 120a62 07"))
}

// Tables print whatever is in them: types that hold themselves, whole messages, raw
// values, trees.
func TestTableText(t *testing.T) {
	if strconv.IntSize < 64 {
		t.Skip("the offsets are those of a 64-bit platform")
	}
	type list []list
	type sized struct {
		_    struct{}            `sofab:",maxsize=64"`
		Raw  sofab.RawField      `sofab:"1"`
		Tree sofab.Fields        `sofab:"2,presence"`
		Need *[]byte             `sofab:"3,required,string"`
		List list                `sofab:"4"`
		Anon struct{ A, B bool } `sofab:"-"`
	}
	for _, tt := range []struct {
		v    any
		want string
	}{
		{sized{}, `sofab_test.sized, maxsize=64
    1  Raw        +0     any              raw value
    2  Tree       +24    sequence         tree of fields
    3  Need       +48    string           pointer to bytes, required
    4  List       +56    sequence         wrapper of wrapper of wrapper of wrapper of …
`},
		{sofab.Fields{}, "sofab.Fields\n  all  tree of fields\n"},
		{[]float32{}, "[]float32\n    0             +0     array of fp32    native array of fp32\n"},
	} {
		if diff := cmp.Diff(tt.want, sofab.TableText(tt.v)); diff != "" {
			t.Errorf("%T (-want +got):\n%s", tt.v, diff)
		}
	}
}
