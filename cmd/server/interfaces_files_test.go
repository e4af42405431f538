package main_test

import (
	"go/ast"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// joined returns the names that a package joins to a path which ends in one of the names
// in to. It finds a in filepath.Join(x.data, "a").
func (s source) joined(to ...string) (names []string) {
	constants := s.constants("")
	for _, file := range s {
		eachNode(file, func(call *ast.CallExpr) {
			method, is := call.Fun.(*ast.SelectorExpr)
			if !is || method.Sel.Name != "Join" || len(call.Args) < 2 {
				return
			}
			path := ""
			switch e := call.Args[0].(type) {
			case *ast.Ident:
				path = e.Name
			case *ast.SelectorExpr:
				path = e.Sel.Name
			}
			text, is := literal(call.Args[1])
			if i, constant := call.Args[1].(*ast.Ident); constant {
				text, is = constants[i.Name], constants[i.Name] != ""
			}
			if is && slices.Contains(to, path) {
				names = append(names, text)
			}
		})
	}
	return names
}

// dataThings are the entries of a data directory, from all packages that create one.
func dataThings(t *testing.T) map[string]thing {
	names := readSource(t, "orchestration/store").joined("dir")
	for _, folder := range folders(t) {
		code := readSource(t, folder)
		names = append(names, code.joined("Data", "data", "dataDir")...)
		for constant, value := range code.constants("") {
			switch constant {
			case "sessionName", "roomName", "workerFile": // opened by their names in the directory
				names = append(names, value)
			case "asidePrefix":
				names = append(names, value+"*")
			}
		}
	}
	things := map[string]thing{}
	for _, n := range names {
		things[n] = thing{}
	}
	return things
}

// folders returns the folders of the program's packages.
func folders(t *testing.T) (all []string) {
	for _, name := range sources(t) {
		folder := filepath.Dir(name)
		if strings.HasSuffix(name, ".go") && !strings.HasPrefix(folder, "e2e") && !strings.HasPrefix(folder, "bench") && !slices.Contains(all, folder) {
			all = append(all, folder)
		}
	}
	return all
}

// runThings are the files in the folder of a run.
func runThings(t *testing.T) map[string]thing {
	things := map[string]thing{}
	for constant, value := range readSource(t, "agents/runlog").constants("") {
		if strings.HasSuffix(constant, "Name") {
			things[value] = thing{}
		}
	}
	for _, file := range readSource(t, "agents/claude") {
		for _, declared := range file.Decls {
			if f, is := declared.(*ast.FuncDecl); is && f.Name.Name == "WriteFiles" {
				for _, n := range (source{{Name: file.Name, Decls: []ast.Decl{f}}}).joined("dir") {
					things[n] = thing{}
				}
			}
		}
	}
	return things
}

// fileThings are the objects of a quest file with their fields, by their place in the
// file. "." is the whole file.
func fileThings(t *testing.T) map[string]thing {
	w := walk{t: t, structs: map[string]*ast.StructType{}, things: map[string]thing{}}
	for _, folder := range []string{"orchestration", "orchestration/questfile"} {
		for _, file := range readSource(t, folder) {
			eachNode(file, func(spec *ast.TypeSpec) {
				if body, is := spec.Type.(*ast.StructType); is {
					w.structs[file.Name.Name+"."+spec.Name.Name] = body
				}
			})
		}
	}
	w.fields(".", w.structs["questfile.document"], "questfile")
	return w.things
}

type walk struct {
	t       *testing.T
	structs map[string]*ast.StructType
	things  map[string]thing
}

// fields records the fields of a struct at a place, with those of embedded structs.
func (w walk) fields(at string, of *ast.StructType, in string) {
	if w.things[at] == nil {
		w.things[at] = thing{}
	}
	for _, f := range of.Fields.List {
		if len(f.Names) == 0 {
			if body, from := w.structOf(f.Type, in); body != nil {
				w.fields(at, body, from)
			}
			continue
		}
		tag := tagOf(f)
		if tag == "" {
			w.t.Errorf("%s: the field %s has no name in JSON", at, f.Names[0].Name)
		}
		w.things[at]["fields"] = append(w.things[at]["fields"], tag)
		kind, below := f.Type, strings.TrimPrefix(at+"."+tag, "..")
		if list, is := kind.(*ast.ArrayType); is {
			kind, below = list.Elt, below+"[]"
		}
		if body, from := w.structOf(kind, in); body != nil {
			w.fields(below, body, from)
		}
	}
}

// structOf returns the struct of this module that a type stands for, with its package. It
// returns nil for other types.
func (w walk) structOf(e ast.Expr, in string) (body *ast.StructType, from string) {
	switch e := e.(type) {
	case *ast.StarExpr:
		return w.structOf(e.X, in)
	case *ast.Ident:
		return w.structs[in+"."+e.Name], in
	case *ast.SelectorExpr:
		from = e.X.(*ast.Ident).Name
		return w.structs[from+"."+e.Sel.Name], from
	}
	return nil, ""
}
