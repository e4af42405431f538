package agents

import (
	"fmt"
	"slices"
	"text/template/parse"
)

// Variable is a variable that the user may use in a role's text.
type Variable struct {
	Name, Means string
	Truth       bool // true or false: it can only be used in {{if}}
}

// Variables lists all variables.
func Variables() []Variable {
	return []Variable{
		{Name: ".Line", Means: "the step's id, or requirements, plan, review"},
		{Name: ".Size", Means: "the quest's size: auto, errand, quick, full"},
		{Name: ".Title", Means: "the quest's title"},
		{Name: ".Request", Means: "what the person asked for, for a step at most 400 characters of it; it follows the text anyway"},
		{Name: ".Ward", Means: "the check command; empty: none"},
		{Name: ".Dir", Means: "the working directory"},
		{Name: ".Base", Means: "what the work is compared with, in a worktree; else empty"},
		{Name: ".Whole", Means: "the work is for the whole quest, not for a step", Truth: true},
		{Name: ".Shared", Means: "all agents work in the repository itself", Truth: true},
	}
}

// kind is the type of an expression. The types in a user's text are checked before use,
// because the template engine finds a wrong type only in the branch that it executes.
type kind int

const (
	aText kind = iota
	aTruth
)

// quoting lists the functions that quote a text. Every text from the quest must be
// quoted, because others wrote it and the agent must not take it for instructions.
var quoting = []string{"code", "line", "fence"}

// misplaced is what is wrong with a part of a user's text, and where the part begins.
type misplaced struct {
	at  parse.Pos
	err error
}

func (m *misplaced) Error() string { return m.err.Error() }

func checkNodes(list *parse.ListNode) *misplaced {
	if list == nil {
		return nil
	}
	for _, node := range list.Nodes {
		if wrong := checkNode(node); wrong != nil {
			return wrong
		}
	}
	return nil
}

func checkNode(node parse.Node) *misplaced {
	switch n := node.(type) {
	case *parse.TextNode, *parse.CommentNode:
	case *parse.ActionNode:
		if _, err := kindOfPipe(n.Pipe); err != nil {
			return &misplaced{n.Position(), err}
		}
		if last := n.Pipe.Cmds[len(n.Pipe.Cmds)-1].Args[0]; !slices.Contains(quoting, last.String()) {
			return &misplaced{n.Position(), fmt.Errorf("%s: write {{code …}}, {{line …}} or {{fence …}}, so that the text of others is quoted", n)}
		}
	case *parse.IfNode:
		if _, err := kindOfPipe(n.Pipe); err != nil {
			return &misplaced{n.Position(), err}
		}
		if wrong := checkNodes(n.List); wrong != nil {
			return wrong
		}
		return checkNodes(n.ElseList)
	default:
		return &misplaced{n.Position(), fmt.Errorf("%.60s: only variables and {{if}} … {{else}} … {{end}} are possible", node)}
	}
	return nil
}

func kindOfPipe(p *parse.PipeNode) (kind, error) {
	if len(p.Decl) > 0 {
		return 0, fmt.Errorf("%s: no variables can be made", p)
	}
	var last []kind
	for _, cmd := range p.Cmds {
		k, err := kindOfCommand(cmd, last)
		if err != nil {
			return 0, err
		}
		last = []kind{k}
	}
	return last[0], nil
}

// kindOfCommand returns the type of a value or of a function call. piped are the types
// of arguments that come through a pipe.
func kindOfCommand(cmd *parse.CommandNode, piped []kind) (kind, error) {
	name, called := cmd.Args[0].(*parse.IdentifierNode)
	if !called {
		if len(cmd.Args)+len(piped) > 1 {
			return 0, fmt.Errorf("%s: a value takes no arguments", cmd)
		}
		return kindOfValue(cmd.Args[0])
	}
	var args []kind
	for _, arg := range cmd.Args[1:] {
		k, err := kindOfValue(arg)
		if err != nil {
			return 0, err
		}
		args = append(args, k)
	}
	return kindOfCall(name.Ident, append(args, piped...))
}

func kindOfValue(node parse.Node) (kind, error) {
	switch n := node.(type) {
	case *parse.FieldNode:
		for _, v := range Variables() {
			if v.Name == n.String() && v.Truth {
				return aTruth, nil
			} else if v.Name == n.String() {
				return aText, nil
			}
		}
		return 0, fmt.Errorf("there is no variable %s", n)
	case *parse.StringNode:
		return aText, nil
	case *parse.PipeNode:
		return kindOfPipe(n)
	default:
		return 0, fmt.Errorf("%s: only variables and texts in quotation marks are possible", n)
	}
}

func kindOfCall(name string, args []kind) (kind, error) {
	texts := !slices.Contains(args, aTruth)
	switch {
	case slices.Contains(quoting, name):
		if len(args) != 1 || !texts {
			return 0, fmt.Errorf("%s quotes one text", name)
		}
		return aText, nil
	case name == "print":
		if len(args) == 0 || !texts {
			return 0, fmt.Errorf("%s joins texts", name)
		}
		return aText, nil
	case name == "eq" || name == "ne":
		if len(args) != 2 || !texts {
			return 0, fmt.Errorf("%s compares two texts", name)
		}
		return aTruth, nil
	case name == "not":
		if len(args) != 1 {
			return 0, fmt.Errorf("%s takes one value", name)
		}
		return aTruth, nil
	case name == "and" || name == "or":
		if len(args) == 0 {
			return 0, fmt.Errorf("%s takes values", name)
		}
		return aTruth, nil
	default:
		return 0, fmt.Errorf("there is no function %s here; there are code, line, fence, print, eq, ne, and, or, not", name)
	}
}
