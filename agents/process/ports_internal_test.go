package process

import (
	"errors"
	"net"
	"strconv"
	"strings"
	"testing"
)

// Two servers of a machine begin at different blocks, and one always at the same.
func TestPortsBeginWhereTheDataDirectorySays(t *testing.T) {
	t.Parallel()
	begin := map[int]bool{}
	for n := range 20 {
		p := PortsOf("/home/" + strconv.Itoa(n) + "/.local/share/questboard")
		if again := PortsOf("/home/" + strconv.Itoa(n) + "/.local/share/questboard"); again.first != p.first {
			t.Errorf("%d and %d for one directory", p.first, again.first)
		}
		begin[p.first] = true
	}
	if len(begin) < 15 {
		t.Errorf("20 servers begin at %d blocks", len(begin))
	}
	last := Ports{first: portBlocks - 1}
	last.taken[portBlocks-1] = true // the lowest block follows the highest
	base, free, err := last.take()
	if err != nil || base >= LastPort-PortsEach {
		t.Fatalf("%d: %v", base, err)
	}
	free()
}

// docs/interfaces.md#what-agents-see-of-the-environment
func TestPortsAreGivenOnce_skipWhatOthersUse_andSayWhenNoneIsLeft(t *testing.T) {
	t.Parallel()
	var ports Ports
	given := map[int]func(){}
	for {
		base, free, err := ports.take()
		if err != nil {
			break
		}
		if given[base] != nil || base%PortsEach != 0 || base < FirstPort || base+PortsEach-1 > LastPort {
			t.Fatalf("%d is given, again or outside of the range", base)
		}
		given[base] = free
	}
	if len(given) < portBlocks/2 {
		t.Fatalf("%d blocks of %d were free", len(given), portBlocks)
	}
	for base, free := range given {
		free()
		l, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(base+7)))
		if err != nil {
			t.Fatal(err)
		}
		_, _, err = ports.take()
		var full *NoPortsError
		if !errors.As(err, &full) || full.Ours != len(given)-1 || !strings.Contains(err.Error(), "another program listens, for example on port") {
			t.Errorf("with a listener on %d: %v", base+7, err)
		}
		_ = l.Close()
		free() // a second time changes nothing
		if again, _, err := ports.take(); err != nil || again != base {
			t.Errorf("after the listener has left: %d, %v; want %d", again, err, base)
		}
		return
	}
	t.Error("on no block can anybody listen")
}
