package main_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// othersWords are the files and folders that examine texts of other programs, file
// formats or older versions, and whose texts these are.
var othersWords = map[string]string{
	"agents/claude/probe.go":          "the version of the Claude Code CLI",
	"agents/confine/doors.go":         "the version of git",
	"agents/git/":                     "git's complaints",
	"agents/prompt_role.go":           "errors of text/template",
	"agents/transcript/":              "what the Claude Code CLI prints",
	"agents/ward/suggest.go":          "the package.json that npm writes",
	"agents/workspace/":               "git's and gh's complaints, git's file HEAD",
	"handlers/diffview/read.go":       "git's diff",
	"handlers/log_turns.go":           "keys in PEM",
	"orchestration/brief.go":          "briefs that older versions stored",
	"orchestration/service/checks.go": "the version of git",
	"orchestration/store/deletion.go": "the name of a stored row",
	"orchestration/store/file.go":     "the head of an SQLite file",

	"orchestration/store/postgres_schema.go": "SQL",
}

// No sentence is data: what code must distinguish has a type or a kind, and words are
// made where they are shown. So no code compares, searches, cuts or replaces texts of two
// words or more. For templates the test reads the generated Go code.
func TestHouseReadsNoSentences(t *testing.T) {
	t.Parallel()
	files := map[string]*ast.File{}
	set := token.NewFileSet()
	for _, name := range sources(t) {
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") || len(lines(t, name)) == 0 {
			continue
		}
		file, err := parser.ParseFile(set, filepath.Join(root(t), name), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files[name] = file
	}
	needed := map[string]bool{}
	all := sentencesIn(files)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if folder := path.Dir(name) + "/"; othersWords[folder]+othersWords[name] != "" {
			needed[folder], needed[name] = true, true
			continue
		}
		for _, at := range all[name] {
			t.Errorf("%s:%d looks for words in a text: give what it looks for a kind or a type", name, set.Position(at).Line)
		}
	}
	for name := range othersWords {
		if !needed[name] {
			t.Errorf("%s looks into no sentence any more: take it off the list", name)
		}
	}
}

// A rule that finds nothing proves nothing.
func TestHouseFindsReadSentences(t *testing.T) {
	t.Parallel()
	const head = "package p\n\nconst stored = \"the check failed\"\n\ntype kind string\n\nconst typed kind = \"a link\"\n\nfunc f(s string, k kind, why error) bool {\n\t"
	for body, want := range map[string]bool{
		`return s == "stopped by you"`:                                      true,
		`return stored != s`:                                                true,
		`return s == string(k)+" at work"`:                                  true,
		`return strings.HasPrefix(s, "the check")`:                          true,
		`return strings.Contains(why.Error(), "not valid JSON")`:            true,
		`return strings.TrimPrefix(s, stored) != ""`:                        true,
		`_, _, ok := strings.Cut(s, "quest "+s+": "); return ok`:            true,
		`return bytes.Contains(nil, []byte("no such file"))`:                true,
		`return strings.NewReplacer("at work", "").Replace(s) == ""`:        true,
		`return slices.Contains([]string{"x", "a b c", "ab, cd"}, s)`:       true,
		`switch s { case "x", "waits for you": return true }; return !true`: true,
		`return k == typed`:                                                 false,
		`return s == "done" || strings.HasPrefix(s, "refs/heads/"+s)`:       false,
		`return strings.ReplaceAll(s, "x", "in other words") == ""`:         false,
		`return s+" at work" == s || strings.Cut(s, "\n\n")`:                true,
		`switch { case s == "x": s = "two words" }; return false`:           false,
		`why := map[kind]string{typed: "in words"}[k]; return why == ""`:    false,
	} {
		file, err := parser.ParseFile(token.NewFileSet(), "p.go", head+body+"\n}\n", parser.SkipObjectResolution)
		if err != nil {
			t.Fatalf("%s: %v", body, err)
		}
		if got := len(sentencesIn(map[string]*ast.File{"a/p.go": file})) > 0; got != want {
			t.Errorf("%s: found %v, want %v", body, got, want)
		}
	}
}

// searches are the functions that search their first argument for the second.
var searches = regexp.MustCompile(`^(strings|bytes)\.(Compare|Contains|Count|Cut|CutPrefix|CutSuffix|Equal|EqualFold|HasPrefix|HasSuffix|Index|LastIndex|` +
	`Replace|ReplaceAll|Split|SplitN|SplitAfter|SplitAfterN|SplitSeq|TrimPrefix|TrimSuffix|NewReplacer)$|^slices\.(Contains|Index)$`)

// twoWords matches a part of a sentence.
var twoWords = regexp.MustCompile(`\pL{2,}\pP* \pP*\pL{2,}`)

// sentencesIn returns where code compares or searches texts, by file.
func sentencesIn(files map[string]*ast.File) map[string][]token.Pos {
	constants := map[string]string{} // by folder of the package, and name
	for name, file := range files {
		for _, decl := range file.Decls {
			if d, ok := decl.(*ast.GenDecl); ok && d.Tok == token.CONST {
				for _, spec := range d.Specs {
					noteConstants(constants, path.Base(path.Dir(name)), spec.(*ast.ValueSpec))
				}
			}
		}
	}
	found := map[string][]token.Pos{}
	for name, file := range files {
		words := func(e ast.Expr) bool { return twoWords.MatchString(textOf(e, constants, path.Base(path.Dir(name)))) }
		ast.Inspect(file, func(n ast.Node) bool {
			if slices.ContainsFunc(lookedFor(n), words) {
				found[name] = append(found[name], n.Pos())
			}
			return true
		})
	}
	return found
}

// noteConstants records constants without a type. A constant with a type is a kind.
func noteConstants(constants map[string]string, folder string, s *ast.ValueSpec) {
	for i, name := range s.Names {
		if s.Type == nil && i < len(s.Values) {
			constants[folder+"."+name.Name] = textOf(s.Values[i], nil, "")
		}
	}
}

// lookedFor returns the parts of a node that are compared or searched for.
func lookedFor(n ast.Node) []ast.Expr {
	switch n := n.(type) {
	case *ast.BinaryExpr:
		if n.Op == token.EQL || n.Op == token.NEQ {
			return []ast.Expr{n.X, n.Y}
		}
	case *ast.CaseClause:
		return n.List
	case *ast.CallExpr:
		f, ok := n.Fun.(*ast.SelectorExpr)
		if !ok {
			return nil
		}
		of, ok := f.X.(*ast.Ident)
		switch {
		case !ok || !searches.MatchString(of.Name+"."+f.Sel.Name) || len(n.Args) < 2:
		case f.Sel.Name == "NewReplacer": // what is looked for, and what comes in its place
			var olds []ast.Expr
			for i := 0; i < len(n.Args); i += 2 {
				olds = append(olds, n.Args[i])
			}
			return olds
		default:
			return n.Args[:2]
		}
	}
	return nil
}

// textOf returns the literals and constants of a text, with xx for the unknown parts of a
// sum. It returns "" for what is not a text.
func textOf(e ast.Expr, constants map[string]string, folder string) string {
	switch e := e.(type) {
	case *ast.BasicLit:
		text, _ := strconv.Unquote(e.Value)
		return text
	case *ast.Ident:
		return constants[folder+"."+e.Name]
	case *ast.SelectorExpr:
		if of, ok := e.X.(*ast.Ident); ok {
			return constants[of.Name+"."+e.Sel.Name]
		}
	case *ast.ParenExpr:
		return textOf(e.X, constants, folder)
	case *ast.CallExpr: // []byte("…")
		if _, ok := e.Fun.(*ast.ArrayType); ok && len(e.Args) == 1 {
			return textOf(e.Args[0], constants, folder)
		}
	case *ast.CompositeLit:
		texts := make([]string, len(e.Elts))
		for i, part := range e.Elts {
			texts[i] = textOf(part, constants, folder)
		}
		return strings.Join(texts, "\x00")
	case *ast.BinaryExpr:
		if e.Op == token.ADD {
			part := func(e ast.Expr) string {
				if text := textOf(e, constants, folder); text != "" {
					return text
				}
				return "xx"
			}
			return part(e.X) + part(e.Y)
		}
	}
	return ""
}
