package main

import (
	"flag"
	"fmt"
	"io"
	"strings"
)

// usage prints the help of the whole program.
func usage(out io.Writer) {
	fmt.Fprint(out, "Questboard carries a request through a party of coding agents.\n\nusage: questboard [command] [flags]\n\n")
	for _, c := range commands() {
		if !c.hidden {
			fmt.Fprintf(out, "  %-10s %s\n", c.name, c.does)
		}
	}
	fmt.Fprint(out, "\n`questboard COMMAND -help` lists a command's flags. Every flag can be given by the environment:\n"+
		"-public-url is QUESTBOARD_PUBLIC_URL.\n")
}

// usage prints the help of one command, with its flags.
func (c command) usage(out io.Writer) {
	fmt.Fprintf(out, "usage: %s\n\n%s\n", strings.TrimSpace("questboard "+c.name+" "+c.args), c.does)
	flags := flagsOf(c.name)
	if len(flags) > 0 {
		fmt.Fprintln(out)
	}
	for _, f := range flags {
		if f.hidden {
			continue
		}
		initial := ""
		if f.initial != "" {
			initial = " (default " + f.initial + ")"
		}
		fmt.Fprintf(out, "  -%s %s\n        %s%s\n", f.name, f.kind, f.does, initial)
	}
}

// usageFaults lists the faults of a command line, one sentence each.
type usageFaults []string

func (f usageFaults) Error() string { return strings.Join(f, "\n") }

// discard silences package flag, because this package prints every fault itself.
func discard(set *flag.FlagSet) *flag.FlagSet {
	set.SetOutput(io.Discard)
	set.Usage = func() {}
	return set
}
