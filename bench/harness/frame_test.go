package harness_test

import "strings"

// What every repository of a language has: its check, which runs all tests and names those that fail
// in lines "FAIL name".
var frames = map[string]map[string]string{
	"shell": {"check.sh": `#!/bin/sh
code=0
is() { [ "$1" = "$2" ] || { echo "got: $1"; echo "want: $2"; exit 1; }; }
for t in tests/*.sh; do
	( . "./$t" ) || { t=${t#tests/}; echo "FAIL ${t%.sh}"; code=1; }
done
exit $code
`},
	"js": {"check.sh": "#!/bin/sh\nexec node check.js\n", "check.js": `const fs = require('fs');
let code = 0;
global.is = (got, want) => {
  const g = JSON.stringify(got), w = JSON.stringify(want);
  if (g !== w) throw new Error('got ' + g + ', want ' + w);
};
for (const file of fs.readdirSync('tests').sort()) {
  try {
    global.lib = require('./lib.js');
    require('./tests/' + file);
  } catch (e) {
    console.log(e.message);
    console.log('FAIL ' + file.replace('.js', ''));
    code = 1;
  }
}
process.exit(code);
`},
	"go": {"go.mod": "module pair\n\ngo 1.21\n", "check.sh": `#!/bin/sh
out=$(GOFLAGS=-trimpath go test -vet=off . 2>&1) && { echo ok; exit 0; }
echo "$out"
echo "$out" | sed -n '
s/^--- FAIL: TestBase .*/FAIL base/p
s/^--- FAIL: TestA .*/FAIL a/p
s/^--- FAIL: TestB .*/FAIL b/p
s/^--- FAIL: TestHiddenA .*/FAIL hidden-a/p
s/^--- FAIL: TestHiddenB .*/FAIL hidden-b/p
s/^--- FAIL: TestHiddenAB .*/FAIL hidden-ab/p'
case $out in *'build failed'* | *panic:*) echo 'FAIL build' ;; esac
exit 1
`, "is_test.go": `package pair

import (
	"fmt"
	"testing"
)

func is(t *testing.T, got, want any) {
	t.Helper()
	if fmt.Sprintf("%#v", got) != fmt.Sprintf("%#v", want) {
		t.Fatalf("got %#v, want %#v", got, want)
	}
}
`},
}

// frame returns the files that no feature changes.
func (p *pair) frame() map[string]string {
	files := map[string]string{}
	for name, text := range frames[p.lang] {
		files[name] = text
	}
	name, text := p.test("base")
	files[name] = text
	return files
}

// test returns the file of a test.
func (p *pair) test(name string) (file, text string) {
	body := p.tests[name]
	switch p.lang {
	case "go":
		title := strings.ToUpper(strings.TrimPrefix(name, "hidden-"))
		if strings.HasPrefix(name, "hidden-") {
			title = "Hidden" + title
		} else if name == "base" {
			title = "Base"
		}
		return strings.ReplaceAll(name, "-", "_") + "_test.go",
			"package pair\n\nimport \"testing\"\n\nfunc Test" + title + "(t *testing.T) {\n" + body + "}\n"
	case "js":
		return "tests/" + name + ".js", body
	default:
		return "tests/" + name + ".sh", body
	}
}
