package process_test

import (
	"bufio"
	"io"
	"strconv"
	"testing"

	"questboard/agents/process"
)

func withPorts() process.Starter {
	s := starter()
	s.Ports = &process.Ports{}
	return s
}

// docs/interfaces.md#what-agents-see-of-the-environment
func TestEachProgramHasPortsOfItsOwnUntilItsTreeHasEnded(t *testing.T) {
	t.Parallel()
	s := withPorts()
	begin := func() (*process.Child, int) {
		said := make(chan string, 1)
		c := shell("echo $QUESTBOARD_PORT_BASE; sleep 1000")
		c.Env, c.Ports = append(c.Env, "QUESTBOARD_PORT_BASE=1"), 20
		c.Output = func(out io.Reader) {
			line, _, _ := bufio.NewReader(out).ReadLine()
			said <- string(line)
		}
		child, err := s.Start(c)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			child.End(0)
			child.Wait()
		})
		base, err := strconv.Atoi(<-said)
		if err != nil || base < process.FirstPort || base > process.LastPort {
			t.Fatalf("the program sees %d: %v", base, err)
		}
		return child, base
	}
	first, a := begin()
	if _, b := begin(); a == b {
		t.Errorf("two programs have the ports from %d", a)
	}
	first.End(0)
	first.Wait()
	if _, again := begin(); again != a {
		t.Errorf("the ports from %d are free, and the next program has those from %d", a, again)
	}
}

func TestAProgramHasNoPortsIfItAsksForNoneOrTheServerHasNone(t *testing.T) {
	t.Parallel()
	for ports, s := range map[int]process.Starter{20: starter(), 0: withPorts()} {
		c := shell("test -z \"$QUESTBOARD_PORT_BASE\"")
		c.Ports = ports
		child, err := s.Start(c)
		if err != nil {
			t.Fatal(err)
		}
		if exit := child.Wait(); exit.Code != 0 {
			t.Errorf("asks for %d: exit %d", ports, exit.Code)
		}
	}
}
