package agents

import (
	"regexp"
	"slices"
	"strings"
)

// reading are the commands that only read, each with what it refuses of its arguments
// because that would write, or run another program.
var reading = map[string]func(args []word) (why string){
	"basename": harmless, "cat": harmless, "cmp": harmless, "comm": harmless, "cut": harmless, "df": harmless, "dirname": harmless,
	"du": harmless, "echo": harmless, "false": harmless, "head": harmless, "jq": harmless, "ls": harmless, "nl": harmless,
	"od": harmless, "paste": harmless, "pwd": harmless, "readlink": harmless, "realpath": harmless, "sha256sum": harmless, "stat": harmless,
	"tac": harmless, "tail": harmless, "tr": harmless, "true": harmless, "wc": harmless, "which": harmless,
	"cd":   changesFolder,
	"diff": without("l", "--pa"),                                             // they start pr
	"find": without("", "-exec", "-ok", "-delete", "-rm", "-fprint", "-fls"), // some releases bring bfs under this name, which knows -rm
	"git":  readsGit,
	"grep": without("", "--filter", "--pager", "--view", "--save-config", "--config", "---"), // some releases bring ugrep under this name
	"rg":   without("z", "--pre", "--hostname-bin", "--search-zip"),                          // -z starts gzip and others
	"sed":  printsLines,
	"sort": without("oT", "--o", "--co", "--t"),
	"uniq": readsPipe,
}

func harmless([]word) string { return "" }

// without refuses options that have one of these beginnings, or one of these letters in a
// group of short options.
func without(letters string, beginnings ...string) func([]word) string {
	return func(args []word) string {
		for _, arg := range args {
			if arg.option() && (arg.open || refusedOption(arg.text, letters, beginnings)) {
				return notThe(arg)
			}
		}
		return ""
	}
}

// notThe refuses an argument. Names of files that a shell finds may begin with "-", unless
// their folder stands first.
func notThe(arg word) string {
	if arg.open && !strings.HasPrefix(arg.text, "-") {
		return "may not have the argument " + code(arg.text) + ", because a file may be named like an option: write " + code("./"+arg.text) +
			", or quote it"
	}
	return "may not have the argument " + code(arg.text)
}

func refusedOption(text, letters string, beginnings []string) bool {
	if slices.ContainsFunc(beginnings, func(b string) bool { return strings.HasPrefix(text, b) }) {
		return true
	}
	return !strings.HasPrefix(text, "--") && letters != "" && strings.ContainsAny(text, letters)
}

func changesFolder(args []word) string {
	if len(args) != 1 || args[0].option() {
		return "takes one folder"
	}
	return ""
}

// readsPipe is for a command whose second operand is a file to write. After "--", and for
// some releases after "-", a word that begins with "-" is an operand, too.
func readsPipe(args []word) string {
	for _, arg := range args {
		if arg.open || !strings.HasPrefix(arg.text, "-") || arg.text == "-" || arg.text == "--" {
			return "may read only from a pipe"
		}
	}
	return ""
}

// lines are what sed may be told: p after one or two places, each a number, the end, or a
// pattern in which nothing could end it early.
var lines = regexp.MustCompile(strings.ReplaceAll(`^P(,(P|\+[0-9]+))?p(; ?P(,(P|\+[0-9]+))?p)*$`, "P", `([0-9]+|\$|/[^/\\\n]+/)`))

// printsLines permits sed to print lines by their place. Its language can write and run.
func printsLines(args []word) string {
	if len(args) < 2 || args[0].text != "-n" || !lines.MatchString(args[1].text) || slices.ContainsFunc(args[2:], word.option) {
		return "may only print lines, such as sed -n 10,20p FILE or sed -n '/^func A/,/^}/p' FILE"
	}
	return ""
}

// gitReading are the subcommands of git that only read.
var gitReading = []string{
	"blame", "branch", "cat-file", "describe", "diff", "grep", "log", "ls-files", "ls-tree", "merge-base", "remote", "rev-list", "rev-parse",
	"shortlog", "show",
	"show-ref", "status", "tag",
}

// listing are the subcommands that only read with these arguments.
var listing = map[string][]string{
	"branch": {"-a", "-r", "-v", "-vv", "--all", "--remotes", "--list", "--show-current"},
	"remote": {"-v"},
	"tag":    {"-l", "--list"},
}

// signed matches the fields of a format for which git starts the program that checks a signature.
var signed = regexp.MustCompile(`%[-+ ]?G`)

func readsGit(args []word) string {
	for len(args) > 0 && (args[0].text == "--no-pager" || args[0].text == "-P") {
		args = args[1:]
	}
	if len(args) == 0 || !slices.Contains(gitReading, args[0].text) {
		return "may only " + strings.Join(gitReading, ", ")
	}
	sub, args := args[0].text, args[1:]
	only, limited := listing[sub]
	for _, arg := range args {
		switch {
		case limited && !slices.Contains(only, arg.text):
			return sub + " may have only " + strings.Join(only, ", ")
		case arg.text == "--help", strings.HasPrefix(arg.text, "--show-si"), arg.option() && signed.MatchString(arg.text):
			return sub + " may not have the argument " + code(arg.text) + ", because it starts another program"
		case arg.text == "--oneline", arg.text == "--others", arg.text == "--only-matching":
		case arg.option() && (arg.open || strings.HasPrefix(arg.text, "--o") || sub == "grep" && refusedOption(arg.text, "O", nil)):
			return sub + " " + notThe(arg) // git grep -O runs a program, --output writes
		}
	}
	return ""
}
