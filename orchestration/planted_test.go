package orchestration_test

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// buildWithFaults builds these tests once with all planted faults in them. It uses a
// build overlay, so the files do not change. Each function that has a fault begins with
// its broken body, which runs if the environment variable PLANTED names the rule. A
// build for each fault would take two minutes of processor time.
func buildWithFaults(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	replace := map[string]string{}
	put := func(file, source string) {
		path, err := filepath.Abs(file)
		if err != nil {
			t.Fatal(err)
		}
		replace[path] = filepath.Join(dir, file)
		if err := os.WriteFile(replace[path], []byte(source), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	put("planted.go", "package orchestration\n\nimport \"os\"\n\nvar planted = os.Getenv(\"PLANTED\")\n")
	byFile := map[string][]fault{}
	for _, f := range plantedFaults {
		byFile[f.file] = append(byFile[f.file], f)
	}
	for file, faults := range byFile {
		put(file, plant(t, file, faults))
	}
	list, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	overlay, binary := filepath.Join(dir, "overlay.json"), filepath.Join(dir, "faults.test")
	if err := os.WriteFile(overlay, list, 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("go", "test", "-c", "-vet=off", "-overlay", overlay, "-ldflags=-s -w", "-o", binary, ".").CombinedOutput(); err != nil {
		t.Fatalf("with the faults it does not build: %v\n%.4000s", err, out)
	}
	return binary
}

// plant returns a file's source with its faults in it.
func plant(t *testing.T, file string, faults []fault) string {
	t.Helper()
	read, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	source := string(read)
	parsed, err := parser.ParseFile(token.NewFileSet(), file, read, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	broken := map[int]string{} // by the position where a body begins
	for _, f := range faults {
		if n := strings.Count(source, f.old); n != 1 {
			t.Fatalf("%s: %d places read %q, want one: mend this list", file, n, f.old)
		}
		at := strings.Index(source, f.old)
		fn := functionAt(parsed, at)
		if fn == nil {
			t.Fatalf("%s: %q is in no function", file, f.old)
		}
		begin, end := int(fn.Body.Lbrace), int(fn.Body.Rbrace)-1 // positions count from 1
		body := source[begin:at] + f.new + source[at+len(f.old):end]
		if fn.Type.Results == nil {
			body += "\nreturn\n"
		}
		broken[begin] += fmt.Sprintf("\nif planted == %q {%s}\n", f.rule, body)
	}
	for _, begin := range slices.Backward(slices.Sorted(maps.Keys(broken))) {
		source = source[:begin] + broken[begin] + source[begin:]
	}
	return source
}

func functionAt(file *ast.File, at int) *ast.FuncDecl {
	for _, decl := range file.Decls {
		fn, ok := decl.(*ast.FuncDecl)
		if ok && fn.Body != nil && int(fn.Body.Lbrace) <= at && at < int(fn.Body.Rbrace)-1 {
			return fn
		}
	}
	return nil
}
