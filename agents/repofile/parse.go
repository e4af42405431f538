package repofile

import (
	"fmt"
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml/ast"
	yaml "github.com/goccy/go-yaml/parser"

	"questboard/orchestration"
)

const (
	maxPaths   = 100
	maxNesting = 100 // brackets in the file: it needs a handful
)

// Parse reads the text of config.yaml. Each fault names the file, the line and, where
// there is one, the key.
func Parse(text string) (orchestration.RepoFile, []string) {
	p := &parser{keys: map[string]Key{}, lines: map[string]int{}}
	for _, k := range Keys() {
		p.keys[k.Name] = k
	}
	p.document(text)
	if len(p.faults) > 0 {
		sort.SliceStable(p.faults, func(i, j int) bool { return p.faults[i].line < p.faults[j].line })
		said := make([]string, len(p.faults))
		for i, f := range p.faults {
			said[i] = fmt.Sprintf("%s:%d: %s", configFile, f.line, f.text)
		}
		return orchestration.RepoFile{}, said
	}
	return p.file, nil
}

type parser struct {
	keys   map[string]Key
	lines  map[string]int // of the keys that are set
	file   orchestration.RepoFile
	faults []fault
}

type fault struct {
	line int
	text string
}

func (p *parser) fault(line int, format string, args ...any) {
	p.faults = append(p.faults, fault{line, fmt.Sprintf(format, args...)})
}

// document reads the whole file. The YAML parser calls itself for every bracket and every
// deeper line, so both are counted before.
func (p *parser) document(text string) {
	if line := tooDeep(text); line > 0 {
		p.fault(line, "the values are nested too deeply: no key needs that")
		return
	}
	file, err := parseYAML(text)
	if err != nil {
		p.syntax(err)
		return
	}
	var body ast.Node
	for _, doc := range file.Docs {
		if _, comment := doc.Body.(*ast.CommentGroupNode); doc.Body == nil || comment {
			continue
		}
		if body != nil {
			p.fault(lineOf(doc.Body), "there is a second document: write everything into one, without ---")
			return
		}
		body = doc.Body
	}
	if body == nil {
		return // an empty file says nothing
	}
	p.mapping(body, "")
	p.trees()
}

// parseYAML keeps a fault of the parser from ending the server: others wrote the text.
func parseYAML(text string) (file *ast.File, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			file, err = nil, fmt.Errorf("[1:1] it cannot be read: %v", cause)
		}
	}()
	return yaml.ParseBytes([]byte(text), 0)
}

// tooDeep returns the line where a text is nested too deeply; 0: nowhere.
func tooDeep(text string) int {
	open, steps := 0, 0
	n := 0
	for line := range strings.Lines(text) {
		n++
		indent := len(line) - len(strings.TrimLeft(line, " -?"))
		open += strings.Count(line, "[") + strings.Count(line, "{")
		steps = max(steps, indent)
		if open > maxNesting || steps > maxNesting {
			return n
		}
	}
	return 0
}

var place = regexp.MustCompile(`^\[(\d+):\d+\] `)

// syntax takes the line from the YAML parser's message: "[3:5] …", followed by an
// excerpt.
func (p *parser) syntax(err error) {
	text, _, _ := strings.Cut(err.Error(), "\n")
	line := 1
	if at := place.FindStringSubmatch(text); at != nil {
		line, _ = strconv.Atoi(at[1])
		text = text[len(at[0]):]
	}
	p.fault(line, "%s", text)
}

// mapping reads the keys of the file, or of one of its mappings.
func (p *parser) mapping(node ast.Node, within string) {
	var pairs []*ast.MappingValueNode
	switch n := node.(type) {
	case *ast.MappingNode:
		pairs = n.Values
	case *ast.MappingValueNode:
		pairs = []*ast.MappingValueNode{n}
	default:
		if within == "" {
			p.fault(lineOf(node), "the file must have keys, such as check: make test")
		} else {
			p.fault(lineOf(node), "%s must have keys of its own (%s), not %s", within, strings.Join(p.known(within), ", "), shape(node))
		}
		return
	}
	for _, pair := range pairs {
		p.pair(pair, within)
	}
}

func (p *parser) pair(pair *ast.MappingValueNode, within string) {
	name := pair.Key.GetToken().Value
	at, line := name, lineOf(pair.Key)
	if within != "" {
		at = within + "." + name
	}
	switch pair.Key.(type) {
	case *ast.StringNode:
	default:
		p.fault(line, "%s is no key: a key is a plain word, without anchors and aliases", quoted(name))
		return
	}
	if _, twice := p.lines[at]; twice {
		p.fault(line, "%s is set twice, first in line %d", at, p.lines[at])
		return
	}
	key, is := p.keys[at]
	known := p.known(at)
	switch {
	case strings.Contains(name, "."), !is && len(known) == 0:
		p.fault(line, "there is no key %s: %s", quoted(at), p.instead(within))
		return
	}
	p.lines[at] = line
	if is {
		key.set(p, at, pair.Value)
		return
	}
	p.mapping(pair.Value, at)
}

// known lists the names of the keys within a mapping; within the whole file, for "".
func (p *parser) known(within string) []string {
	var names []string
	for _, k := range Keys() {
		name := k.Name
		if within != "" {
			rest, is := strings.CutPrefix(name, within+".")
			if !is {
				continue
			}
			name = rest
		}
		if name, _, _ = strings.Cut(name, "."); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

func (p *parser) instead(within string) string {
	if within == "" {
		return "the keys are " + strings.Join(p.known(""), ", ")
	}
	return within + " has the keys " + strings.Join(p.known(within), ", ")
}

// text reads a text. What looks like a number or a truth must be quoted, because YAML
// would change how it is written.
func (p *parser) text(node ast.Node, at string) (string, bool) {
	switch n := node.(type) {
	case *ast.StringNode:
		return n.Value, true
	case *ast.LiteralNode:
		return strings.TrimRight(n.Value.Value, "\n"), true
	default:
		p.fault(lineOf(node), "%s must be a text, not %s", at, shape(node))
		return "", false
	}
}

// line reads a command line.
func (p *parser) line(node ast.Node, at string) string {
	text, ok := p.text(node, at)
	text = strings.TrimSpace(text)
	switch {
	case !ok:
	case text == "":
		p.fault(lineOf(node), "%s is empty: write a command, or leave the key out", at)
	case utf8.RuneCountInString(text) > maxCommand:
		p.fault(lineOf(node), "%s is longer than %d characters: put the commands into a script", at, maxCommand)
	case strings.ContainsFunc(text, func(r rune) bool { return r < 0x20 && r != '\t' || r == 0x7f }):
		p.fault(lineOf(node), "%s must be one line without control characters: put the commands into a script", at)
	}
	return text
}

// paths reads a list of paths.
func (p *parser) paths(node ast.Node, at string) []string {
	list, ok := node.(*ast.SequenceNode)
	if !ok {
		p.fault(lineOf(node), "%s must be a list, such as [node_modules], not %s", at, shape(node))
		return nil
	}
	if len(list.Values) > maxPaths {
		p.fault(lineOf(node), "%s has %d paths: at most %d", at, len(list.Values), maxPaths)
		return nil
	}
	var all []string
	for i, value := range list.Values {
		text, ok := p.text(value, fmt.Sprintf("%s.%d", at, i))
		if text = strings.TrimSuffix(text, "/"); ok && !slices.Contains(all, text) {
			all = append(all, text)
		}
	}
	return all
}

// number reads a whole number.
func (p *parser) number(node ast.Node, at string, least, most int) (int, bool) {
	value, isInt := node.(*ast.IntegerNode)
	if !isInt {
		is := shape(node)
		switch node.(type) {
		case *ast.FloatNode, *ast.InfinityNode, *ast.NanNode, *ast.BoolNode: // a shape's advice is for texts
			is = fmt.Sprintf("%.40s", node.GetToken().Value)
		}
		p.fault(lineOf(node), "%s must be a whole number from %d to %d, not %s", at, least, most, is)
		return 0, false
	}
	n, err := strconv.Atoi(value.GetToken().Value)
	if err != nil || n < least || n > most {
		p.fault(lineOf(node), "%s must be from %d to %d, not %.40s", at, least, most, value.GetToken().Value)
		return 0, false
	}
	return n, true
}

// trees checks what new worktrees get with the rules of the user's own settings.
func (p *parser) trees() {
	faults := needs(p.file).Check()
	for _, key := range []string{"setup", "links", "copies"} {
		if why := faults[key]; why != "" && p.lines[key] > 0 {
			p.fault(p.lines[key], "%s: %s", key, why)
		}
	}
}

func quoted(name string) string { return fmt.Sprintf("%.80q", name) }

// shape says what a value is, for a fault.
func shape(node ast.Node) string {
	switch node.(type) {
	case nil, *ast.NullNode:
		return "nothing"
	case *ast.IntegerNode, *ast.FloatNode, *ast.InfinityNode, *ast.NanNode:
		return "a number (in quotes it is a text)"
	case *ast.BoolNode:
		return "true or false (in quotes it is a text)"
	case *ast.StringNode, *ast.LiteralNode:
		return "a text"
	case *ast.SequenceNode:
		return "a list"
	case *ast.MappingNode, *ast.MappingValueNode:
		return "keys"
	case *ast.AliasNode, *ast.AnchorNode, *ast.MergeKeyNode:
		return "an anchor or an alias: write the value itself"
	case *ast.TagNode:
		return "a tag: write the value alone"
	default:
		return "this"
	}
}

// lineOf returns the line in which a node begins. The token of a mapping is its first
// colon, so a mapping begins at its first key.
func lineOf(node ast.Node) int {
	switch n := node.(type) {
	case nil:
		return 1
	case *ast.MappingNode:
		if len(n.Values) > 0 {
			return lineOf(n.Values[0])
		}
	case *ast.MappingValueNode:
		return lineOf(n.Key)
	}
	if t := node.GetToken(); t != nil && t.Position != nil {
		return t.Position.Line
	}
	return 1
}
