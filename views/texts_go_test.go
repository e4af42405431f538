package views_test

import (
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// Fields and functions with words for people, even if the value is a single word in lower
// case.
var wordy = []string{
	"About", "Count", "Detail", "How", "Label", "More", "Name", "Note", "Of", "Part", "Say", "Share", "Summary",
	"Text", "Title", "What", "Who", "Why", "Words",
}

// Functions whose arguments only programs read.
var silent = []string{
	"Add", "Attr", "Attribute", "Contains", "ContainsAny", "Cut", "CutPrefix", "CutSuffix", "Debug", "DebugContext", "Del", "Error", "ErrorContext",
	"EqualFold", "FormValue", "Get", "Handle", "HasPrefix", "HasSuffix", "Index", "Info", "InfoContext", "Join", "Log", "LogAttrs",
	"MustCompile", "NewPattern", "Param", "Parse", "PostFormValue", "QueryParam", "Set", "Split", "TrimPrefix", "TrimSuffix", "Warn",
	"WarnContext", "panic",
}

func goTexts(name, source string) ([]text, error) {
	file, err := parser.ParseFile(token.NewFileSet(), name, source, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	var found []text
	for _, declaration := range file.Decls {
		r := goReader{label: ""}
		switch d := declaration.(type) {
		case *ast.FuncDecl:
			r.in = d.Name.Name
			r.wordy = strings.HasSuffix(strings.ToLower(r.in), "words")
			if d.Body != nil {
				r.read(d.Body)
			}
		case *ast.GenDecl:
			if d.Tok == token.IMPORT || d.Tok == token.TYPE {
				continue
			}
			for _, spec := range d.Specs {
				if v, is := spec.(*ast.ValueSpec); is {
					r.in = v.Names[0].Name
					for _, value := range v.Values {
						r.read(value)
					}
				}
			}
		}
		found = append(found, r.found...)
	}
	return found, nil
}

type goReader struct {
	in    string
	label string
	wordy bool // a single word in lower case is for people too
	found []text
}

func (r *goReader) read(node ast.Node) {
	ast.Inspect(node, func(n ast.Node) bool {
		switch x := n.(type) {
		case *ast.BasicLit:
			r.say(x)
			return false
		case *ast.BinaryExpr:
			switch x.Op {
			case token.ADD:
				r.sum(x)
				return false
			case token.EQL, token.NEQ:
				return false
			}
		case *ast.CaseClause:
			for _, s := range x.Body {
				r.read(s)
			}
			return false
		case *ast.IndexExpr:
			r.read(x.X)
			return false
		case *ast.CallExpr:
			return r.call(x)
		case *ast.KeyValueExpr:
			r.pair(x)
			return false
		}
		return true
	})
}

func (r *goReader) pair(x *ast.KeyValueExpr) {
	inner := goReader{in: r.in, label: r.label, wordy: r.wordy}
	if key, is := x.Key.(*ast.Ident); is {
		inner.label = key.Name
		inner.wordy = slices.Contains(wordy, key.Name)
	} else if key, is := x.Key.(*ast.BasicLit); is && isText(key.Value) {
		inner.read(key)
	}
	inner.read(x.Value)
	r.found = append(r.found, inner.found...)
}

func (r *goReader) call(x *ast.CallExpr) bool {
	name := ""
	switch f := x.Fun.(type) {
	case *ast.Ident:
		name = f.Name
	case *ast.SelectorExpr:
		name = f.Sel.Name
		r.read(f.X)
	}
	if slices.Contains(silent, name) {
		for _, argument := range x.Args {
			if _, is := argument.(*ast.BasicLit); !is {
				r.read(argument)
			}
		}
		return false
	}
	inner := goReader{in: r.in, label: r.label, wordy: r.wordy || slices.Contains(wordy, name)}
	for _, argument := range x.Args {
		inner.read(argument)
	}
	r.found = append(r.found, inner.found...)
	return false
}

func (r *goReader) say(x *ast.BasicLit) {
	if words, is := literal(x); is && (isText(words) || r.wordy && isWord(words)) {
		r.found = append(r.found, text{r.in, r.label, words})
	}
}

// sum reads a text that is built from parts, and then the texts within its parts.
func (r *goReader) sum(x *ast.BinaryExpr) {
	words, said := chain(x)
	if said && (isText(words) || isText(strings.ReplaceAll(words, "{", " {"))) && !isPath(words) {
		r.found = append(r.found, text{r.in, r.label, words})
	}
	ast.Inspect(x, func(n ast.Node) bool {
		if call, is := n.(*ast.CallExpr); is {
			return r.call(call)
		}
		return true
	})
}

func isPath(words string) bool {
	return !strings.Contains(words, " ") && strings.ContainsAny(words, "-/?#&=.")
}

func literal(x ast.Expr) (string, bool) {
	lit, is := x.(*ast.BasicLit)
	if !is || lit.Kind != token.STRING {
		return "", false
	}
	words, err := strconv.Unquote(lit.Value)
	return words, err == nil
}

// chain joins the parts of a text. Values appear as their names in braces. It reports
// whether there are words among the parts.
func chain(x ast.Expr) (words string, said bool) {
	if lit, is := literal(x); is {
		return lit, strings.ContainsFunc(lit, unicode.IsLetter)
	}
	switch e := x.(type) {
	case *ast.ParenExpr:
		return chain(e.X)
	case *ast.BinaryExpr:
		if e.Op == token.ADD {
			left, saidLeft := chain(e.X)
			right, saidRight := chain(e.Y)
			return left + right, saidLeft || saidRight
		}
	case *ast.CallExpr:
		// The format of Sprintf counts as the text.
		if f, is := e.Fun.(*ast.SelectorExpr); is && f.Sel.Name == "Sprintf" && len(e.Args) > 0 {
			if lit, is := literal(e.Args[0]); is {
				return lit, strings.ContainsFunc(verbless.Replace(lit), unicode.IsLetter)
			}
		}
	}
	return "{" + brief(x) + "}", false
}

var verbless = strings.NewReplacer("%d", "", "%s", "", "%v", "", "%q", "", "%w", "")

// brief is a value's expression without its brackets.
func brief(x ast.Expr) string {
	if call, is := x.(*ast.CallExpr); is {
		if len(call.Args) > 0 {
			return brief(call.Args[len(call.Args)-1])
		}
		return brief(call.Fun)
	}
	var out strings.Builder
	if err := format.Node(&out, token.NewFileSet(), x); err != nil || out.Len() > 40 || strings.Contains(out.String(), "\n") {
		return "…"
	}
	return out.String()
}

// goWords returns the words of an expression in a template.
func goWords(source string) (words string, said bool) {
	x, err := parser.ParseExpr(source)
	if err != nil {
		return "{…}", false
	}
	return chain(x)
}

// goArguments returns the texts that a template passes to another one.
func goArguments(source string) []string {
	x, err := parser.ParseExpr(source)
	if err != nil {
		return nil
	}
	r := goReader{}
	r.read(x)
	var words []string
	for _, found := range r.found {
		words = append(words, found.words)
	}
	return words
}
