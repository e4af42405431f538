package e2e_test

import (
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// sample is what the server's process uses at one moment.
type sample struct {
	at                                time.Duration
	goroutines, descriptors, children int
	resident, anonymous, heap         float64 // MiB; anonymous: without pages of files
	zombies                           int     // still zombies after some seconds
	temporary                         int
	full                              bool // every slot had an agent, and nothing else happened
}

func (s sample) String() string {
	return fmt.Sprintf("%8s %5v %10d %11d %8.1f %9.1f %6.1f %7d %9d", s.at.Round(time.Second), s.full, s.goroutines, s.descriptors,
		s.resident, s.anonymous, s.heap, s.zombies, s.temporary)
}

// sample takes samples for a moment, until all slots are full, and returns the last one.
func (h *hour) sample(at time.Duration) sample {
	h.t.Helper()
	var s sample
	for range 20 {
		if s = h.look(); s.full {
			break
		}
		time.Sleep(25 * time.Millisecond)
	}
	s.at, s.zombies, s.temporary = at, h.zombies(), len(h.temporary())
	if s.zombies > 0 {
		h.t.Errorf("after %v: %d zombies", at.Round(time.Second), s.zombies)
	}
	return s
}

// atRest returns a sample of a server that has nothing to do.
func (h *hour) atRest(when string) sample {
	h.t.Helper()
	var s, before sample
	poll(h.t, time.Minute, func() bool {
		before, s = s, h.look()
		return s.children == 0 && h.zombies() == 0 && before.goroutines == s.goroutines && before.descriptors == s.descriptors
	}, func() string { return "rest " + when + ": " + fmt.Sprintf("%+v", s) + "\n" + h.said.String() })
	return s
}

func (h *hour) look() sample {
	h.t.Helper()
	pid := strconv.Itoa(h.cmd.Process.Pid)
	runs, others := h.runsAndOthers()
	held, err := os.ReadDir("/proc/" + pid + "/fd")
	if err != nil {
		h.t.Fatal(err)
	}
	status := read(h.t, "/proc/"+pid+"/status")
	metrics := h.send("GET", "/metrics", "").text
	runsAfter, othersAfter := h.runsAndOthers()
	s := sample{
		goroutines: int(figure(h.t, metrics, "\ngo_goroutines ")), heap: figure(h.t, metrics, "\ngo_memstats_heap_alloc_bytes ") / (1 << 20),
		resident: figure(h.t, status, "\nVmRSS:") / 1024, anonymous: figure(h.t, status, "\nRssAnon:") / 1024,
		descriptors: len(held), children: runsAfter + othersAfter,
	}
	s.full = runs == hourSlots && runsAfter == hourSlots && others+othersAfter == 0
	return s
}

// runsAndOthers counts the server's children: supervisors, one for each run, and
// commands such as git.
func (h *hour) runsAndOthers() (runs, others int) {
	for _, p := range processes(h.t) {
		if p.parent != h.cmd.Process.Pid {
			continue
		}
		line, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", p.id))
		if strings.Contains(string(line), "\x00supervise\x00") {
			runs++
		} else {
			others++
		}
	}
	return runs, others
}

// zombies counts the processes below the server that are still zombies after some
// seconds. Every process is one for a moment.
func (h *hour) zombies() int {
	h.t.Helper()
	find := func() []aProcess {
		all := processes(h.t)
		below := map[int]bool{h.cmd.Process.Pid: true}
		for grown := true; grown; {
			grown = false
			for _, p := range all {
				if below[p.parent] && !below[p.id] {
					below[p.id], grown = true, true
				}
			}
		}
		return slices.DeleteFunc(all, func(p aProcess) bool { return !below[p.id] || p.state != "Z" })
	}
	left := find()
	h.passing += len(left)
	for deadline := time.Now().Add(10 * time.Second); len(left) > 0 && time.Now().Before(deadline); {
		time.Sleep(20 * time.Millisecond)
		now := find()
		left = slices.DeleteFunc(left, func(p aProcess) bool { return !slices.Contains(now, p) })
	}
	return len(left)
}

// aProcess is a line of /proc/*/stat.
type aProcess struct {
	id, parent int
	state      string
}

func processes(t *testing.T) []aProcess {
	t.Helper()
	names, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil || len(names) == 0 {
		t.Fatal("no processes can be seen", err)
	}
	var all []aProcess
	for _, name := range names {
		text, _ := os.ReadFile(name)                                                        // processes come and go
		fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:])) // the name may hold anything
		if len(fields) < 2 {
			continue
		}
		id, _ := strconv.Atoi(filepath.Base(filepath.Dir(name)))
		parent, _ := strconv.Atoi(fields[1])
		all = append(all, aProcess{id, parent, fields[0]})
	}
	return all
}

// figure reads the number behind a name.
func figure(t *testing.T, text, name string) float64 {
	t.Helper()
	_, rest, found := strings.Cut("\n"+text, name)
	words := strings.Fields(rest)
	if !found || len(words) == 0 {
		t.Fatalf("no %q in %s", name, text)
	}
	v, err := strconv.ParseFloat(words[0], 64)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// markedBy lists the processes that have this marker in their environment, without
// servers, which belong to no run.
func markedBy(t *testing.T, marker string) []string {
	t.Helper()
	names, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		t.Fatal(err)
	}
	var left []string
	for _, name := range names {
		env, _ := os.ReadFile(name)
		if strings.Contains(string(env), marker) && strings.Contains(string(env), "QUESTBOARD_RUN_ID=") {
			left = append(left, filepath.Dir(name))
		}
	}
	return left
}

// files returns the names of all files of the server, except the database, its copies,
// and git's objects, refs and their logs.
func (h *hour) files() []string {
	h.t.Helper()
	var names []string
	for _, root := range []string{h.data, filepath.Join(h.repo, ".git")} {
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			name, _ := filepath.Rel(root, path)
			switch {
			case err != nil:
				return err
			case d.IsDir() && slices.Contains([]string{"backups", "git", "objects", "refs", "logs"}, name):
				return filepath.SkipDir
			case strings.HasPrefix(name, "questboard.db"):
			default:
				names = append(names, filepath.Join(filepath.Base(root), name))
			}
			return nil
		})
		if err != nil {
			h.t.Fatal(err)
		}
	}
	return names
}

// unkept returns git directories of deleted quests in which nothing is kept, and views
// of git directories that do not exist.
func (h *hour) unkept() []string {
	h.t.Helper()
	var left []string
	quests, _ := filepath.Glob(filepath.Join(h.data, "git", "[^_]*"))
	for _, quest := range quests {
		if gitText(h.t, filepath.Join(quest, "trees"), "for-each-ref", "refs/questboard/kept") == "" {
			left = append(left, quest)
		}
	}
	if views, _ := filepath.Glob(filepath.Join(h.data, "git", "_users", "*")); len(views) > len(quests)+1 {
		left = append(left, views...)
	}
	return left
}

// assertFlat checks that the same load uses as much at the end as at the beginning. It
// checks memory only in a long test, because a short one cannot show it.
func assertFlat(t *testing.T, all []sample, long bool) {
	t.Helper()
	full := slices.DeleteFunc(slices.Clone(all), func(s sample) bool { return !s.full })
	if !long {
		return // the caller has compared the server at rest
	}
	if len(full) < len(all)/3 {
		t.Fatalf("in %d of %d samples all slots were full, too few to compare", len(full), len(all))
	}
	part := len(full) / 4
	first, last := full[part:2*part], full[len(full)-part:] // without the first part, in which caches fill up
	for name, of := range map[string]func(sample) int{
		"goroutines":  func(s sample) int { return s.goroutines },
		"descriptors": func(s sample) int { return s.descriptors },
	} {
		if a, b := median(first, of), median(last, of); b-a > 5 || a-b > 5 {
			t.Errorf("%s went from %d to %d", name, a, b)
		}
	}
	// After a quarter of an hour, as many quests have ended as are kept in memory.
	steady := slices.DeleteFunc(slices.Clone(all), func(s sample) bool { return s.at < all[len(all)-1].at/4 })
	for name, of := range map[string]func(sample) float64{
		"resident": func(s sample) float64 { return s.resident }, "anonymous": func(s sample) float64 { return s.anonymous },
		"heap": func(s sample) float64 { return s.heap },
	} {
		slope, doubt := slopeOf(steady, of)
		t.Logf("%s memory: %+.2f MiB an hour, standard error %.2f", name, slope, doubt)
		if slope-2*doubt > 1 {
			t.Errorf("%s memory grows by %.2f MiB an hour (standard error %.2f)", name, slope, doubt)
		}
	}
}

func median(all []sample, of func(sample) int) int {
	var v []int
	for _, s := range all {
		v = append(v, of(s))
	}
	slices.Sort(v)
	return v[len(v)/2]
}

// slopeOf fits a line to the means of each minute, because samples close to each other
// are not independent.
func slopeOf(all []sample, of func(sample) float64) (perHour, standardError float64) {
	sums, counts := map[int]float64{}, map[int]float64{}
	for _, s := range all {
		sums[int(s.at/time.Minute)] += of(s)
		counts[int(s.at/time.Minute)]++
	}
	var n, mx, my float64
	for m, sum := range sums {
		n, mx, my = n+1, mx+float64(m)/60, my+sum/counts[m]
	}
	mx, my = mx/n, my/n
	var xx, xy, yy float64
	for m, sum := range sums {
		x, y := float64(m)/60-mx, sum/counts[m]-my
		xx, xy, yy = xx+x*x, xy+x*y, yy+y*y
	}
	slope := xy / xx
	return slope, math.Sqrt(max(yy-slope*xy, 0) / (n - 2) / xx)
}
