package confine

import "slices"

// devices are what git opens of /dev.
var devices = [...]string{"/dev/null", "/dev/urandom"}

// Tool returns the command line that the name of a program of our own and its
// arguments follow: git, where it reads what an agent could write. It sees the
// system's programs and those of PATH, an empty /tmp, and what is given, each
// path at its own name; it has no network. Of paths in each other the inner one
// says whether it can be written; one in both lists can be. Nil: nothing is
// confined.
//
// All paths are absolute and without links, dir (where it works) is one of them
// or in one, and all must be there: bubblewrap ends with exit code 1 and says
// so by a line that begins with "bwrap: ". None may lie where another confined
// program can rename it: bubblewrap looks it up by its name.
//
// The program keeps all open files, so it holds an inherited lock to its end.
// bubblewrap stays around it. A signal must go to the group of both: killing
// bubblewrap alone, which is what os/exec does, ends its wait and not the
// program. The end of the program's output, not of bubblewrap, says that it
// is gone. A server that dies leaves the program to end its work.
func (s *Sandbox) Tool(dir string, reads, writes []string) []string {
	if s == nil {
		return nil
	}
	v := &view{at: map[string]entry{}}
	s.programs(v)
	s.tools(v)
	v.put("/tmp", entry{kind: empty})
	for _, secret := range append(spellings(s.Home), spellings(s.Data)...) {
		if _, _, ok := v.around(secret); ok { // in a folder of the system's
			v.put(secret, entry{kind: empty})
		}
	}
	for _, path := range reads {
		v.put(path, entry{kind: read, from: path})
	}
	for _, path := range writes {
		v.put(path, entry{kind: write, from: path})
	}
	argv := append([]string{s.Bwrap}, slices.Concat(alone, []string{"--unshare-net"}, v.mounts())...)
	for _, path := range devices {
		argv = append(argv, "--dev-bind", path, path)
	}
	return append(argv, "--setenv", "TMPDIR", "/tmp", "--chdir", dir)
}
