package config

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"questboard/agents/simulated"
	"questboard/cmd/server/client"
	"questboard/orchestration"
	"questboard/orchestration/engine"
	"questboard/orchestration/hosts"
	"questboard/web"
	"questboard/web/live"
)

// Faults lists what is wrong with a command line, one sentence each.
type Faults []string

func (f Faults) Error() string { return strings.Join(f, "\n") }

// Parse reads a command's flags, and environment variables for flags that were not set. rest has
// the arguments that are not flags. It continues after a fault; the error is flag.ErrHelp, or
// Faults with all of them.
func Parse(command string, args []string, getenv func(string) string) (c Config, rest []string, err error) {
	c = Config{
		Addr: DefaultAddr, Data: dataDir(getenv), Slots: 3, Checks: engine.DefaultChecks(), Auth: web.AuthToken, Agent: AgentClaude,
		Claude:  "claude",
		Backoff: time.Minute, CrashBackoff: orchestration.DefaultCrashBackoff,
		StartTimeout: 30 * time.Second, StuckAfter: 10 * time.Minute, RunTimeout: 4 * time.Hour, Grace: 10 * time.Second,
		Beat: live.DefaultTiming.Beat, Lease: hosts.DefaultLease,
	}
	switch command {
	case "wait":
		c.For = []string{client.Complete}
	case "status", "answer":
		c.Timeout = client.AnswerTimeout
	}
	if command == "worker" {
		c.Addr = "127.0.0.1:0"
		if c.Data != "" {
			c.Data += "-worker"
		}
	}
	if command == "demo" {
		c.Agent, c.Data = AgentSimulated, "" // a temporary directory
	}
	var faults Faults
	set := flag.NewFlagSet(command, flag.ContinueOnError)
	set.SetOutput(io.Discard) // the faults are printed all at once
	set.Usage = func() {}
	given := map[string]bool{}
	for _, o := range FlagsOf(command) {
		set.Var(&value{flag: o, config: &c, given: given, faults: &faults}, o.Name, o.Does)
	}
	rest, err = parseAll(set, args, &faults)
	if err != nil {
		return Config{}, nil, err
	}
	c.Given = map[string]string{}
	for name := range given {
		c.Given[name] = "flag"
	}
	for _, o := range FlagsOf(command) {
		// The demo uses a temporary directory and needs no account. These variables are
		// for the user's own quests.
		if command == "demo" && slices.Contains([]string{"data", "db", "agent"}, o.Name) {
			continue
		}
		if text := getenv(o.Env()); text != "" && !given[o.Name] {
			c.Given[o.Name] = o.Env()
			for _, part := range o.parts(text) {
				if err := o.set(&c, part); err != nil {
					faults = append(faults, fmt.Sprintf("%s: %v", o.Env(), err))
				}
			}
		}
	}
	c.meantFromHere()
	asks := slices.Contains(askers, command)
	if asks {
		faults = append(faults, c.validateAsking()...)
	}
	if slices.Contains(atWork, command) {
		faults = append(faults, c.validate(command, getenv("HOME"))...)
	} else if c.Data == "" && (!asks || c.URL == "") {
		faults = append(faults, "-data: there is no HOME to find the data directory in; name one")
	}
	if len(faults) > 0 {
		return Config{}, nil, faults
	}
	return c, rest, nil
}

// meantFromHere makes relative paths absolute, because programs that start in other
// folders get them.
func (c *Config) meantFromHere() {
	paths := []*string{&c.Data}
	if !simulated.Builtin(c.Scenario) {
		paths = append(paths, &c.Scenario)
	}
	if strings.ContainsRune(c.Claude, filepath.Separator) { // otherwise the program is looked up in PATH
		paths = append(paths, &c.Claude)
	}
	for _, path := range paths {
		if absolute, err := filepath.Abs(*path); err == nil && *path != "" {
			*path = absolute
		}
	}
}

// parts returns the values in an environment variable.
func (f Flag) parts(text string) []string {
	if f.list {
		return filepath.SplitList(text)
	}
	return []string{text}
}

// parseAll accepts flags before and after other arguments. It continues after an unknown
// flag.
func parseAll(set *flag.FlagSet, args []string, faults *Faults) (rest []string, err error) {
	var literal []string
	if at := slices.Index(args, "--"); at >= 0 {
		args, literal = args[:at], args[at+1:]
	}
	for len(args) > 0 {
		err := set.Parse(args)
		if errors.Is(err, flag.ErrHelp) {
			return nil, err
		}
		if err != nil {
			*faults = append(*faults, err.Error())
		}
		args = set.Args()
		if err == nil && len(args) > 0 {
			rest, args = append(rest, args[0]), args[1:]
		}
	}
	return append(rest, literal...), nil
}

// value lets package flag read an option without stopping at the first fault.
type value struct {
	flag   Flag
	config *Config
	given  map[string]bool
	faults *Faults
}

// String implements flag.Value. Package flag also calls it on the zero value.
func (v *value) String() string { return v.flag.Initial }

// IsBoolFlag tells package flag that the flag needs no value.
func (v *value) IsBoolFlag() bool { return v.flag.isSwitch() }

// Set implements flag.Value.
func (v *value) Set(text string) error {
	v.given[v.flag.Name] = true
	if err := v.flag.set(v.config, text); err != nil {
		*v.faults = append(*v.faults, "-"+v.flag.Name+": "+err.Error())
	}
	return nil
}

// CheckArguments compares the arguments of a command with those that its usage line names. One
// in brackets may be missing.
func CheckArguments(have []string, usage string) error {
	var faults Faults
	names := strings.Fields(usage)
	for i, name := range names {
		optional := strings.HasPrefix(name, "[")
		name = strings.Trim(name, "[]")
		given := i < len(have)
		if !given && !optional || given && have[i] == "" && name != "TEXT" { // only a text may be empty
			faults = append(faults, name+" is missing")
			break
		}
	}
	for _, arg := range have[min(len(names), len(have)):] {
		faults = append(faults, "unexpected argument "+strconv.Quote(arg))
	}
	if len(faults) == 0 {
		return nil
	}
	return faults
}

// words splits a text into arguments at spaces, except within quotes. Nothing else is
// special, because no shell is involved.
func words(text string) ([]string, error) {
	var out []string
	var word strings.Builder
	var quote rune
	begun := false
	for _, r := range text {
		switch {
		case quote != 0 && r == quote:
			quote = 0
		case quote == 0 && (r == '"' || r == '\''):
			quote, begun = r, true
		case quote == 0 && (r == ' ' || r == '\t' || r == '\n'):
			if begun {
				out = append(out, word.String())
			}
			word.Reset()
			begun = false
		default:
			word.WriteRune(r)
			begun = true
		}
	}
	if quote != 0 {
		return nil, errors.New("a quotation mark is not closed")
	}
	if begun {
		out = append(out, word.String())
	}
	return out, nil
}

var variable = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// waits reads durations that are separated by commas. None may be negative.
func waits(text string) ([]time.Duration, error) {
	var list []time.Duration
	for part := range strings.SplitSeq(text, ",") {
		wait, err := time.ParseDuration(strings.TrimSpace(part))
		if err != nil || wait < 0 || wait > longestCrashWait {
			return nil, fmt.Errorf("%q is no wait of at most %s such as 5s or 2m", part, longestCrashWait)
		}
		list = append(list, wait)
	}
	return list, nil
}

// longestCrashWait is the longest wait in -crash-backoff. Nobody remembers a run that
// waits longer.
const longestCrashWait = 6 * time.Hour

func names(text string) ([]string, error) {
	list := strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' })
	for _, name := range list {
		if !variable.MatchString(name) {
			return nil, fmt.Errorf("%q is no name of an environment variable", name)
		}
	}
	return list, nil
}
