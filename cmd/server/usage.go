package main

import (
	"fmt"
	"io"
	"strings"

	"questboard/cmd/server/config"
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
	line := strings.Join(strings.Fields("questboard "+c.name+" "+c.flags+" "+c.args), " ")
	fmt.Fprintf(out, "usage: %s\n\n%s\n", line, c.does)
	flags := config.FlagsOf(c.name)
	if len(flags) > 0 {
		fmt.Fprintln(out)
	}
	for _, f := range flags {
		if f.Hidden {
			continue
		}
		initial := ""
		if f.Initial != "" {
			initial = " (default " + f.Initial + ")"
		}
		fmt.Fprintf(out, "  -%s %s\n        %s%s\n", f.Name, f.Kind, f.Does, initial)
	}
}
