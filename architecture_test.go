package sofab_test

import (
	"bytes"
	"encoding/json"
	"go/parser"
	"go/token"
	"io"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/sofab-go/sofab"

// A listedPackage is what go list says of a package.
type listedPackage struct {
	Dir, ImportPath         string
	GoFiles, IgnoredGoFiles []string
	Imports                 []string
}

func listPackages(t *testing.T) []listedPackage {
	t.Helper()
	out, err := exec.Command("go", "list", "-json=Dir,ImportPath,GoFiles,IgnoredGoFiles,Imports", "./...").Output()
	if err != nil {
		t.Skipf("go list: %v", err)
	}
	var packages []listedPackage
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listedPackage
		if err := d.Decode(&p); err == io.EOF {
			return packages
		} else if err != nil {
			t.Fatal(err)
		}
		packages = append(packages, p)
	}
}

// isStandard reports whether an import is one of the standard library: its first
// element is no domain.
func isStandard(path string) bool {
	first, _, _ := strings.Cut(path, "/")
	return !strings.Contains(first, ".")
}

// The arrows between the packages: nothing points up, and what each may import.
func TestArrows(t *testing.T) {
	allowed := map[string][]string{
		module:             {module + "/stream", module + "/wire", module + "/tags", "github.com/modern-go/reflect2"},
		module + "/stream": {module + "/wire"},
		module + "/wire":   {},
		module + "/tags":   {},
	}
	// What below the root must do without.
	forbidden := []string{"reflect", "unsafe", "encoding/json"}
	seen := 0
	for _, p := range listPackages(t) {
		may, listed := allowed[p.ImportPath]
		if !listed {
			continue
		}
		seen++
		for _, imported := range p.Imports {
			switch {
			case !isStandard(imported) && !slices.Contains(may, imported):
				t.Errorf("%s imports %s", p.ImportPath, imported)
			case p.ImportPath != module && slices.Contains(forbidden, imported):
				t.Errorf("%s imports %s", p.ImportPath, imported)
			}
		}
		if p.ImportPath == module && slices.Contains(p.Imports, "encoding/json") {
			t.Errorf("%s imports encoding/json", p.ImportPath)
		}
	}
	if seen != len(allowed) {
		t.Errorf("%d of %d packages found", seen, len(allowed))
	}
}

// Memory is reached without reflection in one file only, and nothing is linked by
// name.
func TestUnsafeInOneFile(t *testing.T) {
	for _, p := range listPackages(t) {
		var unsafe []string
		for _, name := range append(p.GoFiles, p.IgnoredGoFiles...) {
			file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(p.Dir, name), nil, parser.ParseComments)
			if err != nil {
				t.Fatal(err)
			}
			for _, spec := range file.Imports {
				path, err := strconv.Unquote(spec.Path.Value)
				if err != nil {
					t.Fatal(err)
				}
				if (path == "unsafe" || path == "github.com/modern-go/reflect2") && !slices.Contains(unsafe, name) {
					unsafe = append(unsafe, name)
				}
			}
			for _, group := range file.Comments {
				for _, c := range group.List {
					if strings.HasPrefix(c.Text, "//go:linkname") {
						t.Errorf("%s: %s", name, c.Text)
					}
				}
			}
		}
		want := []string(nil)
		if p.ImportPath == module {
			want = []string{"pointer.go"}
		}
		if !slices.Equal(unsafe, want) {
			t.Errorf("%s: unsafe or reflect2 in %v, want %v", p.ImportPath, unsafe, want)
		}
	}
}

// A panic of ours is never hidden, and one of a caller's method is not swallowed.
func TestNoRecover(t *testing.T) {
	for _, p := range listPackages(t) {
		if !strings.HasPrefix(p.ImportPath, module) {
			continue
		}
		for _, name := range p.GoFiles {
			file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(p.Dir, name), nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			for _, ident := range file.Unresolved {
				if ident.Name == "recover" {
					t.Errorf("%s: %s calls recover", p.ImportPath, name)
				}
			}
		}
	}
}
