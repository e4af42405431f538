package agentstest

import (
	"math/rand/v2"
	"strings"
)

// HostileNames returns names, branches or prompts that become commands, options or
// paths wherever they are not treated as data. If a shell executes one, it makes the
// file mark. The same n gives the same names.
func HostileNames(n int, mark string) []string {
	atoms := []string{
		"-", "--", "--version", "-p", "--exec=touch " + mark, "--upload-pack=touch " + mark, "-c", "core.pager=touch " + mark,
		";touch " + mark + ";", "$(touch " + mark + ")", "`touch " + mark + "`", "|touch " + mark, "&&touch " + mark + "&", ">" + mark,
		"\n", "\r\n", "\ntouch " + mark + "\n", "'", `"`, `\`, "${HOME}", "!!", "*", "?", "[a]", "~", "^", ":/", "@{-1}", "..", "/", ".lock",
		"ext::sh -c touch% " + mark, "𝄞", "日本", "\xff\xfe", "\u202e", "\x1b[31m", "\t", " ", "a", "main", "HEAD", "refs/heads/", "=", "\x00",
		"--resume=x",
	}
	random := rand.New(rand.NewPCG(uint64(n), 7))
	names := []string{strings.Repeat("long", 35<<10), "-" + strings.Repeat("𝄞", 40<<10)} // longer than one argument may be
	names = append(names, atoms...)
	for len(names) < n {
		var b strings.Builder
		for range 1 + random.IntN(4) {
			b.WriteString(atoms[random.IntN(len(atoms))])
		}
		names = append(names, b.String())
	}
	random.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	return names[:n]
}
