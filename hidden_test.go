package sofab_test

import (
	"fmt"
	"net"
	"net/url"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/sofab-go/sofab"
)

// onlyJSON is a type that encoding/json knows how to write, and nobody else.
type onlyJSON struct{ cents int64 }

func (m onlyJSON) MarshalJSON() ([]byte, error) { return fmt.Appendf(nil, "%d", m.cents), nil }

// onlyGob has its method on the pointer.
type onlyGob struct {
	_ struct{}
	n int
}

func (m *onlyGob) GobEncode() ([]byte, error) { return []byte{byte(m.n)}, nil }

// opaque tells nobody what is in it.
type opaque struct{ n int }

// jsonName is a string that encoding/json writes in another way; here it is the string.
type jsonName string

func (m jsonName) MarshalJSON() ([]byte, error) { return []byte(`"name"`), nil }

// jsonAndText is written by its text.
type jsonAndText struct{ onlyJSON }

func (m jsonAndText) MarshalText() ([]byte, error)     { return m.MarshalJSON() }
func (m *jsonAndText) UnmarshalText(text []byte) error { return nil }

// TestHiddenData: a value of which only the methods of other packages know what it holds
// is a fault of its type, and does not get lost.
func TestHiddenData(t *testing.T) {
	type embedded struct {
		onlyJSON
		N uint8 `sofab:"2"`
	}
	type holder struct {
		Total onlyJSON            `sofab:"1"`
		Rows  []onlyGob           `sofab:"2"`
		Map   map[string]*onlyGob `sofab:"3"`
		Sub   struct{ embedded }  `sofab:"4"`
		Off   onlyJSON            `sofab:"-"`
	}
	type opaqueHolder struct {
		Opaque opaque         `sofab:"1"`
		User   *url.Userinfo  `sofab:"2"`
		Where  *time.Location `sofab:"3"`
		Net    net.IPNet      `sofab:"4"`
	}
	const remedy = "; give it MarshalText and UnmarshalText, or MarshalSofab and UnmarshalSofab, or tag the field `sofab:\"-\"`\n"
	err := sofab.Check[holder]()
	want := "sofab: type sofab_test.holder: field Total: type sofab_test.onlyJSON has no exported fields, and MarshalJSON is not called here" + remedy +
		"sofab: type sofab_test.holder: field Rows: type sofab_test.onlyGob has no exported fields, and GobEncode is not called here" + remedy +
		"sofab: type sofab_test.holder: field Map: type sofab_test.onlyGob has no exported fields, and GobEncode is not called here" + remedy +
		"sofab: type sofab_test.embedded: field onlyJSON: type sofab_test.onlyJSON has no exported fields, and MarshalJSON is not called here" + remedy
	if diff := cmp.Diff(want, fmt.Sprintln(err)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if err := sofab.Check[onlyJSON](); err == nil {
		t.Error("no fault as a whole message")
	}

	const tagRemedy = "(next free id) or `sofab:\"-\"`; if the type is not yours, hold the value in one of yours\n"
	want = "sofab: type sofab_test.opaqueHolder: field Opaque: type sofab_test.opaque has no exported fields" + remedy +
		"sofab: type sofab_test.opaqueHolder: field User: type url.Userinfo has no exported fields" + remedy +
		"sofab: type sofab_test.opaqueHolder: field Where: type time.Location has no exported fields" + remedy +
		"sofab: type net.IPNet: exported field IP has no sofab tag; add `sofab:\"0\"` " + tagRemedy +
		"sofab: type net.IPNet: exported field Mask has no sofab tag; add `sofab:\"1\"` " + tagRemedy
	if diff := cmp.Diff(want, fmt.Sprintln(sofab.Check[opaqueHolder]())); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}

	type fine struct {
		opaque
		Name jsonName    `sofab:"2"`
		Text jsonAndText `sofab:"3"`
		None struct{}    `sofab:"4"`
	}
	checkEncode(t, "a message without exported fields", &opaque{1}, nil)
	checkEncode(t, "types that hide nothing", &fine{opaque: opaque{1}, Name: "Zoë", Text: jsonAndText{onlyJSON{7}}}, unhex(t, "12 22 5a6fc3ab 1a 0a 37"))
}
