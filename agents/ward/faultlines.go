package ward

import (
	"regexp"
	"strings"
)

// faultIn returns the fault that a line reports, or "". Some tools need two lines for
// one fault; then it consists of both.
func (f *faults) faultIn(line string) string {
	word := strings.TrimSpace(line)
	if word == "" {
		return ""
	}
	indented := word[0] != line[0]
	if !indented {
		defer func() { f.before = word }()
	}
	switch {
	case indented && isNumbered(f.before) && strings.HasSuffix(word, ":"): // mocha: the suite, then its test
		before := f.before
		f.before = ""
		return before + " " + word
	case strings.HasPrefix(word, "--> ") && isError(f.before): // rustc: the error, then its place
		return f.before + " in " + word[4:]
	case indented && isDigit(word[0]) && inFile.MatchString(line): // eslint: the file, then what is wrong in it
		return f.before + " " + inFile.ReplaceAllString(line, "error")
	case isNumbered(word):
		f.before = word
	case !saysFault(line) && (indented || !saysPlace(word)):
		return ""
	}
	if harmless.MatchString(word) || summary.MatchString(word) || passedOn.MatchString(word) {
		return ""
	}
	return line
}

// isNumbered reports whether a line is the headline of a fault in a numbered list, as
// mocha, rspec and phpunit write it.
func isNumbered(word string) bool {
	return word != "" && isDigit(word[0]) && numbered.MatchString(word)
}

func isError(word string) bool { return strings.HasPrefix(word, "error") }

func isDigit(b byte) bool { return '0' <= b && b <= '9' }

// saysPlace reports whether a line is a fault that begins with its place, as compilers
// and linters write it. Indented ones are the output of a test.
func saysPlace(word string) bool {
	word = strings.TrimPrefix(strings.TrimPrefix(word, "vet: "), "e: ")
	place, what, _ := strings.Cut(word, " ")
	return strings.ContainsAny(place, ":(") && aPlace.MatchString(place) && what != "" && !mild.MatchString(what)
}

// saysFault reports whether a line says that something failed.
func saysFault(line string) bool {
	for i := range aFault {
		if strings.Contains(line, aFault[i].sign) && aFault[i].whole.MatchString(line) {
			return true
		}
	}
	return false
}

// aFault lists the ways to report a fault. The sign avoids most regular expressions: an
// output may have a million lines.
var aFault = []struct {
	sign  string
	whole *regexp.Regexp
}{
	{"--- FAIL: ", regexp.MustCompile(`^\s*--- FAIL: `)}, // go test
	{"FAIL\t", regexp.MustCompile(`^FAIL\t`)},
	{"DATA RACE", regexp.MustCompile(`^WARNING: DATA RACE`)},
	{"FAIL", regexp.MustCompile(`^\s*(?:FAIL|FAILED|FAILURE)(?:[:!]? +| *[:!] *)[^\s(]`)}, // pytest, vitest, jest, scripts
	{"FAILED", regexp.MustCompile(`\bFAILED(?: *[\[(].*)?$`)},                             // pytest -v, gradle, cargo, deno
	{"ERROR", regexp.MustCompile(`^\[?ERROR\]?(?:: *| +)\S|\.\.\. ERROR$`)},               // pytest, unittest, maven
	{"FATAL", regexp.MustCompile(`^\s*FATAL: *\S`)},
	{"not ok", regexp.MustCompile(`^\s*not ok\b`)}, // TAP
	{"Failed test", regexp.MustCompile(`^#\s+Failed test`)},
	{"✕", regexp.MustCompile(`^\s*✕ +\S`)}, // jest, vitest, node
	{"✗", regexp.MustCompile(`^\s*✗ +\S`)},
	{"✖", regexp.MustCompile(`^\s*✖ +\S`)},
	{"×", regexp.MustCompile(`^\s*× +\S`)},
	{"●", regexp.MustCompile(`^\s*● +\S`)},
	{"(fail) ", regexp.MustCompile(`^\(fail\) `)}, // bun
	{"rspec ", regexp.MustCompile(`^rspec \S`)},
	{"<<< ", regexp.MustCompile(`<<< (?:FAILURE|ERROR)!`)}, // surefire
	{"Test Case ", regexp.MustCompile(`^Test Case .* failed\b`)},
	// cargo, node and most others
	{"rror", regexp.MustCompile(`^(?:\w+ )?[Ee]rror(?:\[\w+\])?: |^error\[\w+\]`)},
	{"error", regexp.MustCompile(`[:\])] *(?:fatal |internal compiler )?error(?: [A-Z]+\d+)?: | - error [A-Z]+\d+: `)}, // gcc, tsc, msvc
	{"undefined reference to", regexp.MustCompile(``)},                                                                 // ld
	{"*** ", regexp.MustCompile(`^g?make(?:\[\d+\])?: \*\*\* `)},
	{"panic", regexp.MustCompile(`^panic: |panicked at`)},
	{"atal error", regexp.MustCompile(`^(?:PHP )?[Ff]atal error: `)},
	{"Parse error", regexp.MustCompile(`^(?:PHP )?Parse error: `)},
	{"Error", regexp.MustCompile(`^(?:Uncaught )?(?:[\w$]+[.:])*[A-Z][\w$]*Error(?: \[\w+\])?(?:: |$)|\([\w:]*Error\)$`)},
	{"Exception", regexp.MustCompile(`^(?:[\w$]+[.:])*[A-Z][\w$]*Exception(?:: |$)|^Exception in thread |\([\w:]*Exception\)$`)},
	{"not found", regexp.MustCompile(`: (?:command )?not found$|command not found: `)}, // shells
	{"ermission denied", regexp.MustCompile(`: [Pp]ermission denied$`)},
	{"No such file", regexp.MustCompile(`: No such file or directory$`)},
	{"Segmentation fault", regexp.MustCompile(`^Segmentation fault`)},
	{"Bus error", regexp.MustCompile(`^Bus error`)},
	{"ssertion ", regexp.MustCompile(`^[Aa]ssertion .*failed`)},
}

var (
	numbered = regexp.MustCompile(`^\d+\) \S`)
	inFile   = regexp.MustCompile(`^\s+\d+:\d+(?:-\d+)?\s+error\b`)
	aPlace   = regexp.MustCompile(`^(?:file://)?[^:(]*(?:[./\\][^:(]*|file)(?::\d+(?::\d+)?:?|\(\d+(?:,\d+)?\):)$`)
	mild     = regexp.MustCompile(`(?i)^(?:- )?(?:warning|warn|note|info|hint|remark|help)\b`)

	// summary matches a count of faults. It changes when an old fault is mended, so it
	// does not count as a fault beside the named ones.
	summary = regexp.MustCompile(`(?i)^[^\w(]*(?:` + strings.Join([]string{
		`\d+ (?:failed|failing|failures?|errors?|problems?|issues?|examples?|tests?|specs?|passed|passing)\b`,
		`tests?(?: suites| files| run)?:? +(?:result: |.*\b\d)`, `FAILED \((?:failures|errors)=`, `found \d+ `,
		`error\] +tests run: `, `(?:fail|failed|tests|pass) \d+$`, `failed \d+/\d+`, `looks like you failed`,
		`error: aborting due to`, `error: could not compile`, `build failed\b`,
	}, "|") + `)`)

	// passedOn matches what a program prints because another one failed.
	passedOn = regexp.MustCompile(`^(?:g?make(?:\[\d+\])?: \*\*\* .*\] Error \d+|npm (?:ERR!|error)|.*ELIFECYCLE|error Command failed|error: Recipe|error: script|exit status \d|.*\bexited with code \d)`)

	// harmless matches what only looks like a fault.
	harmless = regexp.MustCompile(`(?i)^(?:ok|pass(?:ed)?|✓|✔|√)\b|^● Console$|^not ok\b.*# *(?:todo|skip)|\b(?:no|0) (?:errors?|failures?|failed|failing|problems?)\b`)
)
