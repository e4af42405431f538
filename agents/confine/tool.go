package confine

import "slices"

// devices are the devices that git opens.
var devices = [...]string{"/dev/null", "/dev/urandom"}

// Tool returns the command line to put before a program of our own: git, if it reads
// what an agent could write. The program sees the system's programs and those of PATH,
// an empty /tmp, and the given paths at their own names. It has no network. If one path
// is inside another, the inner one decides whether it can be written; a path in both
// lists can be. Nil: nothing is confined.
//
// All paths must be absolute, without links, and must exist; dir (where it works) is
// one of them or inside one. Otherwise bubblewrap exits with code 1 and a line that
// begins with "bwrap: ". No path may be where another confined program can rename it,
// because bubblewrap looks it up by name.
//
// The program keeps all open files, so it holds an inherited lock to its end.
// bubblewrap stays around it. Send signals to the group of both: killing only
// bubblewrap, as os/exec does, ends its wait but not the program. The program is gone
// when its output ends, not when bubblewrap does. If the server dies, the program
// finishes its work.
func (s *Sandbox) Tool(dir string, reads, writes []string) []string {
	if s == nil {
		return nil
	}
	v := &view{at: map[string]entry{}}
	s.programs(v)
	s.tools(v)
	v.put("/tmp", entry{kind: empty})
	for _, secret := range append(spellings(s.Home), spellings(s.Data)...) {
		if _, _, ok := v.around(secret); ok { // it is inside a folder of the system
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

// Probe returns the command line to put before a program of PATH that is asked about
// itself, such as "go version". Many programs find themselves by /proc, so it has that
// beside what Tool shows, and nothing of the user's files. Nil: nothing is confined.
func (s *Sandbox) Probe() []string {
	if s == nil {
		return nil
	}
	return append(s.Tool("/tmp", nil, nil), "--proc", "/proc")
}
