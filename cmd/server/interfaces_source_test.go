package main_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"questboard/orchestration"
)

// What only the source says: constants without a list, and fields of unexported structs.
// The tests read its syntax tree, not its text.

// source has the files of a package without its tests.
type source []*ast.File

func readSource(t *testing.T, folder string) (files source) {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(root(t), folder))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if filepath.Ext(e.Name()) != ".go" || strings.HasSuffix(e.Name(), "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root(t), folder, e.Name()), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	return files
}

// eachNode visits every node of a kind.
func eachNode[N ast.Node](in ast.Node, visit func(N)) {
	ast.Inspect(in, func(n ast.Node) bool {
		if found, is := n.(N); is {
			visit(found)
		}
		return true
	})
}

func (s source) function(t *testing.T, wanted string) (found *ast.FuncDecl) {
	t.Helper()
	for _, file := range s {
		eachNode(file, func(f *ast.FuncDecl) {
			if f.Name.Name == wanted {
				found = f
			}
		})
	}
	if found == nil {
		t.Fatalf("there is no function %s", wanted)
	}
	return found
}

// constants returns the constants of a type, or those without a type for "".
func (s source) constants(of string) map[string]string {
	found := map[string]string{}
	for _, file := range s {
		eachNode(file, func(spec *ast.ValueSpec) {
			kind, _ := spec.Type.(*ast.Ident)
			if kind == nil && of != "" || kind != nil && kind.Name != of {
				return
			}
			for i, value := range spec.Values {
				if text, is := literal(value); is && i < len(spec.Names) {
					found[spec.Names[i].Name] = text
				}
			}
		})
	}
	return found
}

// literal returns the value of a string or number in the source.
func literal(e ast.Expr) (string, bool) {
	lit, is := e.(*ast.BasicLit)
	if !is {
		return "", false
	}
	if text, err := strconv.Unquote(lit.Value); err == nil {
		return text, true
	}
	return lit.Value, true
}

func constantThings(t *testing.T, folder, of string) map[string]thing {
	things := map[string]thing{}
	for _, value := range readSource(t, folder).constants(of) {
		things[value] = thing{}
	}
	return things
}

func exitThings(t *testing.T) map[string]thing {
	things := map[string]thing{}
	for _, folder := range []string{"cmd/server", "cmd/server/client"} {
		for constant, value := range readSource(t, folder).constants("") {
			if strings.HasPrefix(strings.ToLower(constant), "exit") {
				things[value] = thing{}
			}
		}
	}
	return things
}

// allowedEnvironment returns the names in agents/process that decide which environment
// variables are passed on.
func allowedEnvironment(t *testing.T) (patterns []string) {
	allowed := readSource(t, "agents/process").function(t, "allowed")
	note := func(in ast.Node, before, after string) {
		eachNode(in, func(lit *ast.BasicLit) {
			if text, is := literal(lit); is {
				patterns = append(patterns, before+text+after)
			}
		})
	}
	for _, statement := range allowed.Body.List {
		switch s := statement.(type) {
		case *ast.SwitchStmt:
			note(s, "", "")
		case *ast.RangeStmt: // beginnings
			note(s, "", "*")
		case *ast.ReturnStmt: // ends
			note(s, "*", "")
		default:
			t.Errorf("allowed has a statement that this test does not know")
		}
	}
	return patterns
}

// eventThings are the types of events with the keys of their data, from every place that
// creates one.
func eventThings(t *testing.T) map[string]thing {
	core, things := readSource(t, "orchestration"), map[string]thing{}
	types := core.constants("EventType")
	for _, value := range types {
		things[value] = thing{}
	}
	note := func(kind string, key ast.Expr) {
		text, is := literal(key)
		if !is {
			t.Errorf("a key of %s is no literal", kind)
		} else if of := things[kind]; !slices.Contains(of["data"], text) {
			of["data"] = append(of["data"], text)
		}
	}
	made := map[string]bool{}
	for _, file := range core {
		eachNode(file, func(f *ast.FuncDecl) {
			eachNode(f, func(call *ast.CallExpr) {
				if method, is := call.Fun.(*ast.SelectorExpr); !is || method.Sel.Name != "event" {
					return
				}
				var kinds []string // one, or all that the function names if it chooses one
				in := ast.Node(f)
				if _, one := call.Args[0].(*ast.Ident); one {
					in = call.Args[0]
				}
				eachNode(in, func(i *ast.Ident) {
					if value, is := types[i.Name]; is {
						kinds = append(kinds, value)
					}
				})
				for _, kind := range kinds {
					made[kind] = true
					if call.Ellipsis.IsValid() { // the signal's own fields are added to these
						things[kind]["data"] = []string{"signal", "rule"}
						for _, field := range orchestration.SignalFields {
							things[kind]["data"] = append(things[kind]["data"], field.Name)
						}
						continue
					}
					for i := 3; i < len(call.Args); i += 2 {
						note(kind, call.Args[i])
					}
				}
			})
		})
	}
	const unreadable = "history.unreadable" // stands in for what the store cannot read
	eachNode(readSource(t, "orchestration/store").function(t, "placeholderEntry"), func(pair *ast.KeyValueExpr) {
		if _, is := literal(pair.Key); is {
			made[unreadable] = true
			note(unreadable, pair.Key)
		}
	})
	for _, kind := range slices.Sorted(maps.Keys(things)) {
		if !made[kind] {
			t.Errorf("nothing makes an entry %s", kind)
		}
	}
	return things
}

// tagged maps the fields of a struct to their names in JSON.
func (s source) tagged(of string) map[string]string {
	found := map[string]string{}
	for _, file := range s {
		eachNode(file, func(spec *ast.TypeSpec) {
			body, is := spec.Type.(*ast.StructType)
			if !is || spec.Name.Name != of {
				return
			}
			for _, f := range body.Fields.List {
				for _, n := range f.Names {
					found[n.Name] = tagOf(f)
				}
			}
		})
	}
	return found
}

func tagOf(f *ast.Field) string {
	if f.Tag == nil {
		return ""
	}
	text, _ := literal(f.Tag)
	tag, _, _ := strings.Cut(reflect.StructTag(text).Get("json"), ",")
	return tag
}

// frameThings are the frames that the server sends, from the places that send them.
func frameThings(t *testing.T) map[string]thing {
	live, things := readSource(t, "web/live"), map[string]thing{}
	tags := live.tagged("down")
	byHand := regexp.MustCompile(`"(\w+)":`)
	for _, file := range live {
		eachNode(file, func(call *ast.CallExpr) {
			method, is := call.Fun.(*ast.SelectorExpr)
			if !is || len(call.Args) == 0 {
				return
			}
			for _, arg := range call.Args {
				if text, is := literal(arg); is && strings.HasPrefix(text, `{"t":"`) {
					kind, _, _ := strings.Cut(strings.TrimPrefix(text, `{"t":"`), `"`)
					things[kind] = thing{}
					for _, key := range byHand.FindAllStringSubmatch(text, -1) {
						if key[1] != "t" {
							things[kind]["fields"] = append(things[kind]["fields"], key[1])
						}
					}
				}
			}
			frame, is := call.Args[0].(*ast.CompositeLit)
			if !is {
				return
			}
			var kind string
			var fields []string
			eachNode(frame, func(pair *ast.KeyValueExpr) {
				switch key, _ := pair.Key.(*ast.Ident); {
				case key.Name == "Type":
					kind, _ = literal(pair.Value)
				default:
					fields = append(fields, tags[key.Name])
				}
			})
			if kind == "" {
				return
			}
			if method.Sel.Name == "sendNumbered" {
				fields = append(fields, "seq")
			}
			things[kind] = thing{"fields": slices.Compact(slices.Sorted(slices.Values(fields)))}
		})
	}
	return things
}

// tagThings are the names of a struct's fields in JSON.
func tagThings(t *testing.T, folder, of string) map[string]thing {
	things := map[string]thing{}
	for _, tag := range readSource(t, folder).tagged(of) {
		things[tag] = thing{}
	}
	return things
}

// topicThings are the first parts of the topics that pages can subscribe to.
func topicThings(t *testing.T) map[string]thing {
	pages, things := readSource(t, "handlers"), map[string]thing{}
	constants := pages.constants("")
	note := func(e ast.Expr) {
		if text, is := literal(e); is {
			things[text] = thing{}
		} else if i, is := e.(*ast.Ident); is && constants[i.Name] != "" {
			things[constants[i.Name]] = thing{}
		}
	}
	eachNode(pages.function(t, "Render"), func(b *ast.BinaryExpr) {
		if kind, is := b.X.(*ast.Ident); is && kind.Name == "kind" && b.Op == token.EQL {
			note(b.Y)
		}
	})
	things[strings.TrimSuffix(readSource(t, "web/live").constants("")["LogPrefix"], ":")] = thing{}
	return things
}
