package sofab_test

import (
	"database/sql"
	"math"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/sofab-go/sofab"
)

type (
	loweredTimes struct {
		Fields  time.Time   `sofab:"0"`
		Unix    time.Time   `sofab:"1,time=unix"`
		Milli   time.Time   `sofab:"2,time=unixmilli"`
		Micro   time.Time   `sofab:"3,time=unixmicro"`
		Nano    time.Time   `sofab:"4,time=unixnano"`
		RFC3339 time.Time   `sofab:"5,time=rfc3339"`
		Pointer *time.Time  `sofab:"6"`
		List    []time.Time `sofab:"7"`
	}
	loweredDurations struct {
		N time.Duration   `sofab:"0"`
		U time.Duration   `sofab:"1,duration=us"`
		M time.Duration   `sofab:"2,duration=ms"`
		S time.Duration   `sofab:"3,duration=s"`
		L []time.Duration `sofab:"4,elem.duration=ms"`
	}
	loweredNulls struct {
		String  sql.NullString      `sofab:"0"`
		Int64   sql.NullInt64       `sofab:"1"`
		Float64 sql.NullFloat64     `sofab:"2"`
		Bool    sql.NullBool        `sofab:"3"`
		Time    sql.NullTime        `sofab:"4"`
		Byte    sql.Null[uint8]     `sofab:"5"`
		List    []sql.Null[string]  `sofab:"6"`
		Pointer *sql.Null[[]uint16] `sofab:"7"`
	}
	loweredNumbers struct {
		Int   *big.Int   `sofab:"0"`
		Rat   *big.Rat   `sofab:"1"`
		Float *big.Float `sofab:"2"`
		Ints  []big.Int  `sofab:"3"`
	}
	loweredMethods struct {
		Text    color           `sofab:"0"`
		Binary  uuid            `sofab:"1"`
		AsText  uuid            `sofab:"2,string"`
		Body    celsius         `sofab:"3"`
		Bodies  []celsius       `sofab:"4"`
		Texts   []color         `sofab:"5"`
		TextKey map[color]uint8 `sofab:"6"`
	}
	loweredRaw struct {
		A       uint8               `sofab:"0"`
		Message sofab.RawMessage    `sofab:"1"`
		Field   sofab.RawField      `sofab:"2"`
		Fields  sofab.Fields        `sofab:"3"`
		Unknown sofab.UnknownFields `sofab:",unknown"`
	}
)

func TestLoweringTime(t *testing.T) {
	moment := time.Date(2024, 2, 29, 12, 30, 15, 500_000_000, time.UTC)
	kathmandu := moment.In(time.FixedZone("", 20700))
	epoch := time.Unix(0, 0).UTC()
	whole := moment.Truncate(time.Second)
	checkLowering(t, "time", []lowered{
		{"zero", &loweredTimes{}},
		{"fields", &loweredTimes{Fields: whole}},
		{"fields with nanoseconds", &loweredTimes{Fields: moment}},
		{"fields with an offset", &loweredTimes{Fields: kathmandu}},
		{"fields of 1970", &loweredTimes{Fields: epoch}},
		{"fields before 1970", &loweredTimes{Fields: time.Unix(-1, 1).UTC()}},
		{"unix", &loweredTimes{Unix: whole}},
		{"unix 1970", &loweredTimes{Unix: epoch}},
		{"unixmilli", &loweredTimes{Milli: moment}},
		{"unixmicro", &loweredTimes{Micro: moment}},
		{"unixnano", &loweredTimes{Nano: moment}},
		{"unixnano before 1970", &loweredTimes{Nano: time.Unix(0, -1).UTC()}},
		{"rfc3339", &loweredTimes{RFC3339: moment}},
		{"rfc3339 with an offset", &loweredTimes{RFC3339: kathmandu}},
		{"pointer to the zero time", &loweredTimes{Pointer: new(time.Time)}},
		{"list", &loweredTimes{List: []time.Time{epoch, {}, whole, {}}}},
	})
}

func TestLoweringDuration(t *testing.T) {
	checkLowering(t, "duration", []lowered{
		{"zero", &loweredDurations{}},
		{"ns", &loweredDurations{N: 1500}},
		{"negative", &loweredDurations{N: -1}},
		{"least", &loweredDurations{N: math.MinInt64}},
		{"us", &loweredDurations{U: 1500 * time.Microsecond}},
		{"ms", &loweredDurations{M: 1500 * time.Millisecond}},
		{"s", &loweredDurations{S: -90 * time.Second}},
		{"list", &loweredDurations{L: []time.Duration{time.Second, 0, -time.Millisecond}}},
	})
}

func TestLoweringNull(t *testing.T) {
	checkLowering(t, "null", []lowered{
		{"not valid", &loweredNulls{}},
		{"valid", &loweredNulls{
			String: sql.NullString{String: "a", Valid: true}, Int64: sql.NullInt64{Int64: -1, Valid: true},
			Float64: sql.NullFloat64{Float64: 0.5, Valid: true}, Bool: sql.NullBool{Bool: true, Valid: true},
			Time: sql.NullTime{Time: time.Unix(1, 0).UTC(), Valid: true}, Byte: sql.Null[uint8]{V: 255, Valid: true},
		}},
		{"valid at zero", &loweredNulls{
			String: sql.NullString{Valid: true}, Int64: sql.NullInt64{Valid: true}, Float64: sql.NullFloat64{Valid: true},
			Bool: sql.NullBool{Valid: true}, Time: sql.NullTime{Valid: true}, Byte: sql.Null[uint8]{Valid: true},
		}},
		{"list", &loweredNulls{List: []sql.Null[string]{{V: "a", Valid: true}, {}, {V: "b", Valid: true}}}},
		{"pointer", &loweredNulls{Pointer: &sql.Null[[]uint16]{V: []uint16{1, 300}, Valid: true}}},
	})
}

func TestLoweringNumber(t *testing.T) {
	large, _ := new(big.Int).SetString("-123456789012345678901234567890", 10)
	precise, _, err := big.ParseFloat("0x1.8p+70", 0, 100, big.ToNearestEven)
	if err != nil {
		t.Fatal(err)
	}
	checkLowering(t, "number", []lowered{
		{"nil", &loweredNumbers{}},
		{"zero", &loweredNumbers{Int: new(big.Int), Rat: new(big.Rat), Float: new(big.Float)}},
		{"positive", &loweredNumbers{Int: big.NewInt(256)}},
		{"negative", &loweredNumbers{Int: big.NewInt(-255)}},
		{"large", &loweredNumbers{Int: large}},
		{"fraction", &loweredNumbers{Rat: big.NewRat(-3, 4)}},
		{"whole fraction", &loweredNumbers{Rat: big.NewRat(7, 1)}},
		{"float", &loweredNumbers{Float: big.NewFloat(1.5)}},
		{"float with an exponent", &loweredNumbers{Float: precise}},
		{"infinity", &loweredNumbers{Float: new(big.Float).SetInf(true)}},
		{"list", &loweredNumbers{Ints: []big.Int{*big.NewInt(1), {}, *big.NewInt(-1)}}},
	})
}

func TestLoweringMethods(t *testing.T) {
	id := uuid{0: 0x01, 15: 0xff}
	checkLowering(t, "methods", []lowered{
		// The zero color has a text, "red", so that it is written everywhere.
		{"zero", &loweredMethods{}},
		{"text", &loweredMethods{Text: green}},
		{"binary", &loweredMethods{Binary: id}},
		{"both, as text", &loweredMethods{AsText: id}},
		{"body", &loweredMethods{Body: celsius{21500}}},
		{"bodies", &loweredMethods{Bodies: []celsius{{1}, {}, {2000}}}},
		{"list of texts", &loweredMethods{Texts: []color{green, red}}},
		{"text as key", &loweredMethods{TextKey: map[color]uint8{green: 1, red: 2}}},
	})
}

func TestLoweringRaw(t *testing.T) {
	body := sofabBytes(t, celsiusBody{21, 500})
	text := sofabBytes(t, "text")
	checkLowering(t, "raw", []lowered{
		{"empty", &loweredRaw{}},
		{"message", &loweredRaw{Message: body}},
		{"field that is a string", &loweredRaw{Field: text}},
		{"field that is unsigned", &loweredRaw{Field: sofabBytes(t, uint64(300))}},
		{"fields", &loweredRaw{Fields: sofab.Fields{{0, uint64(0)}, {2, "a"}, {5, sofab.Fields{}}, {7, []int64{-1}}}}},
		{"unknown fields", &loweredRaw{A: 1, Message: body, Unknown: sofab.UnknownFields{0x20, 0x05, 0x2a, 0x0a, 'x'}}},
	})
}

// TestLoweringFiles: every file of bytes has its schema beside it, and the text in front
// names both.
func TestLoweringFiles(t *testing.T) {
	files, err := filepath.Glob("testdata/lowering/*.tsv")
	if err != nil || len(files) < 9 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	readme := readFile(t, "testdata/lowering/README.md")
	for _, file := range files {
		schema := strings.TrimSuffix(file, ".tsv") + ".yaml"
		if _, err := os.Stat(schema); err != nil {
			t.Error(err)
		}
		if name := "`" + strings.TrimSuffix(filepath.Base(file), ".tsv") + "`"; !strings.Contains(readme, name) {
			t.Errorf("README.md in testdata/lowering does not have %s", name)
		}
	}
}
