package agents_test

import (
	"encoding/json"
	"strings"
	"testing"

	"questboard/agents"
	"questboard/orchestration"
)

// asked returns the answer to a role's command.
func asked(t *testing.T, role orchestration.Role, line string, allow ...string) string {
	t.Helper()
	input, err := json.Marshal(map[string]string{"command": line, "description": "try it"})
	if err != nil {
		t.Fatal(err)
	}
	return agents.Refusal(role, allow, "Bash", input)
}

// A role that only reads runs what only reads, however it joins and quotes it.
func TestAReaderMayRunWhatOnlyReads(t *testing.T) {
	t.Parallel()
	lines := []string{
		"git log -1 --format=%s", "git --no-pager log --oneline | head -3", "git diff HEAD~1 -- 'a b.go'", "git show HEAD:api/links.go", "git blame -L 3,9 x.go", "git status --short",
		"git grep -n 'func Use('", "git ls-files '*.go' | wc -l", "git ls-files --others --exclude-standard", "git branch -a", "git branch --show-current", "git remote -v", "git rev-parse HEAD",
		"ls -la; pwd", "ls 2>/dev/null | sort | head -3", "cat a.go 2>&1 | grep -n \"x|y\" && echo found || true", "sort -t: -k2,2n -u names", "sort -rn | uniq -c",
		"find . -name '*.go' -not -path './vendor/*' -newer go.mod", "find . -name \\*.go", "find . \\( -name a -o -name b \\)", "sed -n '10,20p' x.go", "sed -n 5p x.go", "sed -n '5,$p' x.go y.go",
		"rg -n 'a;b' agents", "grep -rn --include='*.go' 'rm -rf' .", "grep --files-with-matches x .", "cd sub && ls *.go", "wc -l *.go",
		"head -c 10 x >/dev/null 2>&1", "jq .name package.json", "! grep -q x y", "cat x # see; touch made", "ls \\\n  -l", "'ls' -l", "echo '$(touch made)' '`x`' \"a\\$b\"",
		"diff a b", "tail -5 x |& cat", "ls </dev/null", "grep -q x y; echo $?", "cmp a b; echo \"exit: $?\"", "grep \"x$\" y", "grep -E \"a$|b\" y", "grep -n x ./*.go", "ls 'für'",
		"sed -n '/^func A/,/^}/p' x.go", "sed -n '1,5p;9p; /a b/,+3p' x.go", "git -P log", "git cat-file -p HEAD", "git show-ref", "git tag --list",
	}
	for _, command := range agents.RightsOf(orchestration.PathSeeker).Commands { // what its prompt tells
		lines = append(lines, command, command+" x.go")
	}
	for _, line := range lines {
		if why := asked(t, orchestration.PathSeeker, line); why != "" {
			t.Errorf("%s: %s", line, why)
		}
	}
}

// A role that only reads runs nothing that changes a file, starts another program, or
// means one thing to us and another to a shell.
func TestAReaderMayRunNothingElse(t *testing.T) {
	t.Parallel()
	for line, why := range map[string]string{
		"": "no command", " ": "no command", "# ls": "no command", "> /dev/null": "no command",
		"touch made": "none of your commands", "go version": "none of your commands", "python3 -c 'open(\"made\",\"w\")'": "none of your commands", "/tmp/ls": "none of your commands", "./ls": "none of your commands",
		"ls; touch made": "none of", "ls && rm x": "none of", "ls || rm x": "none of", "ls | tee made": "none of", "ls | xargs rm": "none of", "ls\nrm x": "none of", "l\\s; r'm' x": "none of", "l?": "none of",
		"env ls": "none of", "command rm x": "none of", "eval 'rm x'": "none of", "sh -c 'rm x'": "none of", "test -v x": "none of", "printf -v PATH x": "none of", "awk 'BEGIN{system(\"rm x\")}'": "none of",
		"exec rm x": "none of", "source x": "none of", ". x": "none of", "alias ls=rm": "none of", "sudo ls": "none of",
		"ls $(touch made)": "plain words", "ls `touch made`": "plain words", "ls \"$(touch made)\"": "plain words", "ls <(touch made)": "plain words", "ls $HOME": "plain words", "ls \"${x:=y}\"": "plain words",
		"ls $((x=1))": "plain words", "ls $'\\x41'": "plain words", "ls $\"a\"": "plain words", "(ls)": "plain words", "{ ls; }": "plain words", "for f in *; do ls $f; done": "plain words",
		"if true; then ls; fi": "plain words", "f() { ls; }": "plain words", "[[ -f x ]]": "plain words", "((x=1))": "plain words", "time ls": "plain words", "coproc ls": "plain words", "let x=1": "plain words",
		"declare x=1": "plain words", "export X=1": "plain words", "ls *(e:'touch made':)": "plain words", "ls @(a|b)": "plain words", "while true; do ls; done": "plain words",
		"PATH=/x ls": "sets a variable", "X=1": "sets a variable", "GIT_EXTERNAL_DIFF=x git diff": "sets a variable",
		"ls &": "background", "ls & cat x": "background",
		"ls > made": "redirects", "ls >> made": "redirects", "ls >| made": "redirects", "ls &> made": "redirects", "ls >& made": "redirects", "ls 2> made": "redirects", "cat < x": "redirects", "cat <> x": "redirects",
		"cat <<E\nx\nE": "redirects", "cat <<< x": "redirects", "ls > /dev/null > made": "redirects", "cat < /dev/tcp/127.0.0.1/80": "redirects", "> made": "redirects", "ls > '/dev/'null/../x": "redirects", "ls {fd}>/dev/null": "",
		"ls 'a": "cannot be read", "ls )": "cannot be read", "ls foo(e:'touch made':)": "cannot be read", "ls \x00": "control character", "ls\r\nrm x": "control character", "ls \x1b": "control character",
		"sort {-o,made} x": "braces", "ls {a..b}": "braces", "find . -e{x,y}ec rm": "braces",
		"sort -o made x": "may not have", "sort -uo made x": "may not have", "sort --output=made x": "may not have", "sort --o made x": "may not have", "sort '-o' made x": "may not have", "sort \\-o made x": "may not have",
		"sort --compress-program=x y": "may not have", "sort -T . x": "may not have", "sort *": "may not have", "sort -* x": "may not have", "sort ?o x": "may not have",
		"sort $=LESS": "plain words", "sort x$~y": "plain words", "echo \"$+x[y=1]\"": "plain words", "ls $^x": "plain words", "ls $?x": "plain words", "ls \"$?:h\"": "plain words",
		"sort xà-o made": "beyond ASCII", "sort x -o made": "beyond ASCII",
		strings.Repeat("(", 500_000): "longer than", strings.Repeat("$(", 10_000): "longer than", strings.Repeat("(", 10_000): "cannot be read",
		"uniq -- - -made": "only from a pipe", "uniq - -made": "only from a pipe", "uniq -- -x": "only from a pipe", "diff -l a b": "may not have", "diff -ul a b": "may not have", "diff --paginate a b": "may not have",
		"find . -rm": "may not have", "rg -z x": "may not have", "rg --search-zip x": "may not have", "grep x *.go": "write `./*.go`",
		"uniq a b": "only from a pipe", "uniq -c * ": "only from a pipe",
		"find . -delete": "may not have", "find . -exec rm {} \\;": "braces", "find . -exec rm x \\;": "may not have", "find . -execdir rm x +": "may not have", "find . -ok rm x": "may not have", "find . -okdir rm": "may not have",
		"find . -fprint made": "may not have", "find . -fprintf made x": "may not have", "find . -fls made": "may not have", "find . \"-del\"ete": "may not have", "find *": "may not have",
		"rg --pre=x y": "may not have", "rg --pre x y": "may not have", "rg --hostname-bin=x y": "may not have",
		"grep --filter='*:touch made' x": "may not have", "grep --pager=x y": "may not have", "grep --save-config=made x": "may not have", "grep ---made x": "may not have",
		"sed -i s/a/b/ x": "only print lines", "sed s/a/b/ x": "only print lines", "sed -n 'w made' x": "only print lines", "sed -n '1p;w made' x": "only print lines", "sed -n 1p x -i": "only print lines", "sed -n 1p *": "only print lines",
		"sed -n '1e touch made' x": "only print lines", "sed -n '/a/w made' x": "only print lines", "sed -n '/a/p;w made' x": "only print lines", "sed -n '/a\\/p;e touch made;/p' x": "only print lines",
		"sed -n '/a/p\nw made' x": "only print lines", "sed -n '/a\nw made\n/p' x": "only print lines", "sed -n '//p' x": "only print lines", "sed -n": "only print lines",
		"git": "may only", "git commit -am x": "may only", "git stash": "may only", "git -c core.pager=x log": "may only", "git -C sub log": "may only", "git --exec-path=x log": "may only", "git config x y": "may only",
		"git log --output=made -1": "may not have", "git diff --output made": "may not have", "git show --outpu=made": "may not have", "git log '--out'put=made": "may not have", "git log -*": "may not have", "git diff *": "may not have",
		"git grep -Ox y": "may not have", "git grep -nOx y": "may not have", "git grep --open-files-in-pager=x y": "may not have", "git branch made": "may have only", "git branch -d x": "may have only", "git remote add x y": "may have only",
		"git log --help": "another program", "git log --show-signature": "another program", "git show '--format=%G?'": "another program", "git log --pretty=format:%h%-GK": "another program",
		"git tag v1": "may have only", "git tag -d v1": "may have only", "git reflog expire": "may only",
		"git branch *": "may have only", "cd sub && git log": "cd and git", "cd": "takes one folder", "cd -": "takes one folder",
	} {
		if got := asked(t, orchestration.PathSeeker, line); !strings.HasPrefix(got, "Refused, nothing ran: ") || !strings.Contains(got, why) {
			t.Errorf("%q: %q does not say %q", line, got, why)
		}
	}
	if got := asked(t, orchestration.ChaosWhisperer, "rm x"); !strings.Contains(got, "`git log`") || !strings.Contains(got, "`cat`") {
		t.Errorf("the refusal does not say what may be used: %s", got)
	}
}

// What a person chose for the role stays permitted, and no more.
func TestAReaderMayRunWhatThePersonChose(t *testing.T) {
	t.Parallel()
	rules := []string{"Bash(npm view *)", "Bash(make lint:*)", "Bash(go version)", "Bash(make a && make b > c)", "Bash(git * --stat)", "WebSearch"}
	for line, may := range map[string]bool{
		"npm view": true, "npm view x": true, "npm view x | head -3": true, "ls && npm view x y": true, "make lint": true, "make lint V=1": true, "go version": true, "make a && make b > c": true, "git tag --stat": true,
		"npm viewer": false, "npm install": false, "npm view x; rm y": false, "npm view x > made": false, "npm view $(rm y)": false, "make linter": false, "go version -m x": false, "X=1 npm view x": false, "make a": false, "npm view x &": false,
	} {
		if why := asked(t, orchestration.PathSeeker, line, rules...); (why == "") != may {
			t.Errorf("%s: %q", line, why)
		}
	}
	if why := asked(t, orchestration.PathSeeker, "rm x", rules...); !strings.Contains(why, "The person also allows `npm view *`") {
		t.Errorf("the refusal does not say what the person chose: %s", why)
	}
}

// A call that the program asks about is refused, unless it is ours or chosen. Roles that
// write are asked about nothing that they may use.
func TestACallThatNothingAllowsIsRefused(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		role  orchestration.Role
		tool  string
		allow string
		may   bool
	}{
		{orchestration.PathSeeker, "mcp__quest__signal-back", "", true},
		{orchestration.Codeweaver, "mcp__quest__signal-back", "", true},
		{orchestration.PathSeeker, "mcp__own__make", "", false},
		{orchestration.PathSeeker, "mcp__quest__x__make", "", false},
		{orchestration.PathSeeker, "mcp__own__make", "mcp__own__make", true},
		{orchestration.PathSeeker, "mcp__own__make", "mcp__own", true},
		{orchestration.PathSeeker, "mcp__own__make", "mcp__own__*", true},
		{orchestration.PathSeeker, "mcp__own__make", "mcp__own__mak", false},
		{orchestration.PathSeeker, "mcp__owner__make", "mcp__own", false},
		{orchestration.PathSeeker, "WebFetch", "WebFetch(domain:example.org)", false}, // the program asks only if the rule does not fit
		{orchestration.PathSeeker, "Edit", "", false},
		{orchestration.Codeweaver, "WebFetch", "", false},
	} {
		why := agents.Refusal(c.role, []string{c.allow}, c.tool, json.RawMessage(`{"command":"ls"}`))
		if (why == "") != c.may || why != "" && !strings.Contains(why, c.tool+" is not yours. You may use `Read`") {
			t.Errorf("%+v: %q", c, why)
		}
	}
	for role, tool := range map[orchestration.Role]string{orchestration.Codeweaver: "Bash", orchestration.PathSeeker: "Read"} {
		if why := agents.Refusal(role, nil, tool, nil); !strings.Contains(why, "this call of "+tool+" needs the word of a person") {
			t.Errorf("a tool that is its own: %q", why)
		}
	}
	if why := agents.Refusal(orchestration.PathSeeker, nil, "Bash", json.RawMessage(`{"command":7}`)); !strings.Contains(why, "no command") {
		t.Errorf("a command that is none: %q", why)
	}
	if why := agents.Refusal(orchestration.PathSeeker, nil, "Bash", json.RawMessage(`{"command":"rm x","COMMAND":"ls"}`)); !strings.Contains(why, "`rm` is none") {
		t.Errorf("another command was judged than the one that runs: %q", why)
	}
}
