package sofab_test

import (
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"regexp"
	"strings"
	"testing"
)

func readFile(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(string(data), "\r\n", "\n")
}

// goBlocks returns the Go code blocks of a markdown text.
func goBlocks(markdown string) []string {
	var blocks []string
	for _, m := range regexp.MustCompile("(?ms)^```go\n(.*?)^```$").FindAllStringSubmatch(markdown, -1) {
		blocks = append(blocks, m[1])
	}
	return blocks
}

// TestReadmeSnippet holds the README's program to example_readme_test.go, which
// the compiler and the example's output keep right.
func TestReadmeSnippet(t *testing.T) {
	blocks := goBlocks(readFile(t, "README.md"))
	if len(blocks) == 0 {
		t.Fatal("README.md has no Go code block")
	}
	snippet := strings.Replace(blocks[0], "package main\n", "package sofab_test\n", 1)
	snippet = strings.Replace(snippet, "func main()", "func Example_readme()", 1)
	if want := readFile(t, "example_readme_test.go"); snippet != want {
		t.Errorf("the README's first code block is not example_readme_test.go:\n%s", snippet)
	}
	for i, block := range blocks {
		if src, err := format.Source([]byte(block)); err != nil {
			t.Errorf("code block %d: %v", i, err)
		} else if string(src) != block {
			t.Errorf("code block %d is not gofmt's form", i)
		}
	}
}

// TestReadmeNames finds what the README calls sofab.X but the package does not declare.
func TestReadmeNames(t *testing.T) {
	declared := exportedNames(t)
	readme := readFile(t, "README.md")
	for _, m := range regexp.MustCompile(`\bsofab\.([A-Z]\w*)`).FindAllStringSubmatch(readme, -1) {
		if !declared[m[1]] {
			t.Errorf("README.md mentions sofab.%s, which is not declared", m[1])
		}
	}
	functions := regexp.MustCompile("(?m)^\\| `([A-Z]\\w*)[(\\[]").FindAllStringSubmatch(readme, -1)
	if len(functions) < 8 {
		t.Errorf("README.md lists %d functions, want at least 8", len(functions))
	}
	for _, m := range functions {
		if !declared[m[1]] {
			t.Errorf("README.md lists the function %s, which is not declared", m[1])
		}
	}
}

// TestReadmeLinks follows the links to files of the repository, and to headings.
func TestReadmeLinks(t *testing.T) {
	text := regexp.MustCompile("(?ms)^```.*?^```$|`[^`\n]*`").ReplaceAllString(readFile(t, "README.md"), "")
	headings := make(map[string]bool)
	for _, m := range regexp.MustCompile(`(?m)^#+ (.*)$`).FindAllStringSubmatch(text, -1) {
		kept := regexp.MustCompile(`[^\w -]`).ReplaceAllString(strings.ToLower(m[1]), "")
		headings["#"+strings.ReplaceAll(kept, " ", "-")] = true
	}
	for _, m := range regexp.MustCompile(`\]\(([#\w./-]+)\)`).FindAllStringSubmatch(text, -1) {
		if strings.HasPrefix(m[1], "#") {
			if !headings[m[1]] {
				t.Errorf("README.md links to %s, which is no heading of it", m[1])
			}
			continue
		}
		if _, err := os.Stat(m[1]); err != nil {
			t.Errorf("README.md links to %s: %v", m[1], err)
		}
	}
}

// exportedNames returns what the root package declares at top level.
func exportedNames(t *testing.T) map[string]bool {
	t.Helper()
	names := make(map[string]bool)
	files, err := fs.Glob(os.DirFS("."), "*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, decl := range file.Decls {
			switch d := decl.(type) {
			case *ast.FuncDecl:
				if d.Recv == nil {
					names[d.Name.Name] = true
				}
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					switch s := spec.(type) {
					case *ast.TypeSpec:
						names[s.Name.Name] = true
					case *ast.ValueSpec:
						for _, n := range s.Names {
							names[n.Name] = true
						}
					}
				}
			}
		}
	}
	return names
}
