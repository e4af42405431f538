package views

import (
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/util"
)

// proseParser is goldmark's parser without HTML. Tags are shown as they were typed.
func proseParser() parser.Parser {
	return parser.NewParser(
		parser.WithBlockParsers(
			util.Prioritized(parser.NewSetextHeadingParser(), 100),
			util.Prioritized(parser.NewThematicBreakParser(), 200),
			util.Prioritized(parser.NewListParser(), 300),
			util.Prioritized(parser.NewListItemParser(), 400),
			util.Prioritized(parser.NewCodeBlockParser(), 500),
			util.Prioritized(parser.NewATXHeadingParser(), 600),
			util.Prioritized(parser.NewFencedCodeBlockParser(), 700),
			util.Prioritized(parser.NewBlockquoteParser(), 800),
			util.Prioritized(parser.NewParagraphParser(), 1000)),
		parser.WithInlineParsers(
			util.Prioritized(parser.NewCodeSpanParser(), 100),
			util.Prioritized(parser.NewLinkParser(), 200),
			util.Prioritized(parser.NewAutoLinkParser(), 300),
			util.Prioritized(parser.NewEmphasisParser(), 500)),
		parser.WithParagraphTransformers(parser.DefaultParagraphTransformers()...))
}

// proseExtensions are goldmark's extensions. Tables have no alignment, which would need a
// style.
func proseExtensions() []goldmark.Extender {
	return []goldmark.Extender{
		extension.NewTable(extension.WithTableCellAlignMethod(extension.TableCellAlignNone)),
		extension.Strikethrough, extension.Linkify, extension.TaskList,
	}
}

func proseRenderer() renderer.Renderer {
	return renderer.NewRenderer(renderer.WithNodeRenderers(
		util.Prioritized(proseNodes{}, 100),
		util.Prioritized(html.NewRenderer(html.WithHardWraps()), 1000)))
}

// proseNodes renders some nodes differently from other documents: headings are below
// those of the page, an image is a link to it, because pages load nothing from other
// sites, and the box of a task is a sign and not a control.
type proseNodes struct{}

// RegisterFuncs tells goldmark which nodes proseNodes renders.
func (n proseNodes) RegisterFuncs(to renderer.NodeRendererFuncRegisterer) {
	to.Register(ast.KindHeading, n.heading)
	to.Register(ast.KindImage, n.image)
	to.Register(extast.KindTaskCheckBox, n.task)
}

func (proseNodes) heading(w util.BufWriter, _ []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	name := headingName(node.(*ast.Heading).Level)
	if entering {
		_, _ = w.WriteString("<" + name + ">")
	} else {
		_, _ = w.WriteString("</" + name + ">\n")
	}
	return ast.WalkContinue, nil
}

func (proseNodes) image(w util.BufWriter, _ []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		_, _ = w.WriteString("</a>")
		return ast.WalkContinue, nil
	}
	_, _ = w.WriteString(`<a href="`)
	_, _ = w.Write(util.EscapeHTML(util.URLEscape(node.(*ast.Image).Destination, true)))
	_, _ = w.WriteString(`">Image: `)
	return ast.WalkContinue, nil
}

func (proseNodes) task(w util.BufWriter, _ []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	sign := "☐ "
	if node.(*extast.TaskCheckBox).IsChecked {
		sign = "☑ "
	}
	if entering {
		_, _ = w.WriteString(sign)
	}
	return ast.WalkContinue, nil
}
