package views_test

import (
	"html"
	"slices"
	"strings"

	parser "github.com/a-h/templ/parser/v2"
)

// Elements within a sentence.
var inline = []string{"a", "abbr", "b", "bdi", "code", "em", "i", "kbd", "span", "strong", "time"}

// Attributes whose values people read or hear.
var spoken = []string{
	"alt", "aria-description", "aria-label", "aria-roledescription", "aria-valuetext",
	"content", "data-more", "data-title", "data-words", "label", "placeholder", "summary", "title", "value",
}

// templReader collects the texts of one template. The content of one element becomes one
// text.
type templReader struct {
	in    string
	found []text
	label string // the element that is being read
	line  strings.Builder
	words bool // the line has words, not only values
}

func templTexts(source string) ([]text, error) {
	file, err := parser.ParseString(source)
	if err != nil {
		return nil, err
	}
	var found []text
	for _, node := range file.Nodes {
		switch n := node.(type) {
		case *parser.HTMLTemplate:
			name, _, _ := strings.Cut(n.Expression.Value, "(")
			r := templReader{in: name}
			r.nodes(n.Children)
			r.flush()
			found = append(found, r.found...)
		case *parser.TemplateFileGoExpression:
			inGo, err := goTexts("", "package p\n"+n.Expression.Value)
			if err != nil {
				return nil, err
			}
			found = append(found, inGo...)
		}
	}
	return found, nil
}

func (r *templReader) nodes(list []parser.Node) {
	for _, node := range list {
		r.node(node)
	}
}

func (r *templReader) node(node parser.Node) {
	switch n := node.(type) {
	case *parser.Text:
		r.say(html.UnescapeString(n.Value), true)
	case *parser.Whitespace:
		r.line.WriteString(" ")
	case *parser.StringExpression:
		words, said := goWords(n.Expression.Value)
		r.say(words, said)
		r.space(n.TrailingSpace)
	case *parser.TemplElementExpression:
		r.call(n.Expression.Value)
		r.nodes(n.Children)
	case *parser.CallTemplateExpression:
		r.call(n.Expression.Value)
	case *parser.Element:
		r.element(n)
	case *parser.IfExpression:
		r.branch(n.Then)
		for _, other := range n.ElseIfs {
			r.branch(other.Then)
		}
		r.branch(n.Else)
	case *parser.SwitchExpression:
		for _, c := range n.Cases {
			r.branch(c.Children)
		}
	case *parser.ForExpression:
		r.branch(n.Children)
	}
}

// branch reads texts that appear only under a condition.
func (r *templReader) branch(list []parser.Node) {
	if len(list) == 0 {
		return
	}
	r.flush()
	r.nodes(list)
	r.flush()
}

func (r *templReader) element(e *parser.Element) {
	within := slices.Contains(inline, e.Name) && !standsAlone(e)
	label := r.label
	if !within {
		r.flush()
		r.label = e.Name
	}
	r.attributes(e.Name, e.Attributes)
	r.nodes(e.Children)
	if !within {
		r.flush()
		r.label = label
	}
	r.space(e.TrailingSpace)
}

// standsAlone reports whether an inline element is a button or a hint by its class.
func standsAlone(e *parser.Element) bool {
	return slices.ContainsFunc(e.Attributes, func(attribute parser.Attribute) bool {
		a, is := attribute.(*parser.ConstantAttribute)
		return is && a.Key.String() == "class" && (strings.Contains(a.Value, "button") || strings.Contains(a.Value, "hint"))
	})
}

func (r *templReader) attributes(element string, list []parser.Attribute) {
	for _, attribute := range list {
		switch a := attribute.(type) {
		case *parser.ConstantAttribute:
			if r.isSpoken(element, a.Key.String()) && (a.Key.String() != "value" || isText(a.Value)) {
				r.found = append(r.found, text{r.in, a.Key.String(), html.UnescapeString(a.Value)})
			}
		case *parser.ExpressionAttribute:
			if words, said := goWords(a.Expression.Value); said && r.isSpoken(element, a.Key.String()) {
				r.found = append(r.found, text{r.in, a.Key.String(), words})
			}
		case *parser.ConditionalAttribute:
			r.attributes(element, a.Then)
			r.attributes(element, a.Else)
		}
	}
}

func (r *templReader) isSpoken(element, key string) bool {
	return slices.Contains(spoken, key) && (element != "meta" || key != "content") && (element != "option" || key != "value")
}

func (r *templReader) call(expression string) {
	name, _, _ := strings.Cut(expression, "(")
	r.line.WriteString("{" + strings.TrimSpace(name) + "}")
	for _, words := range goArguments(expression) {
		r.flush()
		r.found = append(r.found, text{r.in, strings.TrimSpace(name), words})
	}
}

func (r *templReader) say(words string, said bool) {
	r.line.WriteString(words)
	r.words = r.words || said
}

func (r *templReader) space(trailing parser.TrailingSpace) {
	if trailing != parser.SpaceNone {
		r.line.WriteString(" ")
	}
}

func (r *templReader) flush() {
	if words := strings.Join(strings.Fields(r.line.String()), " "); r.words && words != "" {
		r.found = append(r.found, text{r.in, r.label, words})
	}
	r.line.Reset()
	r.words = false
}
