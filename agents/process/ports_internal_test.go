package process

import (
	"errors"
	"net"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// Two servers of a machine begin at different blocks, and one always at the same.
//
//nolint:paralleltest // two tests that try a port at the same time are in each other's way
func TestPortsBeginWhereTheDataDirectorySays(t *testing.T) {
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
	base, free, err := last.take(PortBlock)
	if err != nil || base >= LastPort-PortBlock {
		t.Fatalf("%d: %v", base, err)
	}
	free()
}

// docs/interfaces.md#what-agents-see-of-the-environment
//
//nolint:paralleltest // two tests that try a port at the same time are in each other's way
func TestPortsAreGivenOnce_skipWhatOthersUse_andSayWhenNoneIsLeft(t *testing.T) {
	var ports Ports
	given := map[int]func(){}
	for {
		base, free, err := ports.take(PortBlock)
		if err != nil {
			break
		}
		if given[base] != nil || base%PortBlock != 0 || base < FirstPort || base+PortBlock-1 > LastPort {
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
		_, _, err = ports.take(PortBlock)
		var full *NoPortsError
		if !errors.As(err, &full) || full.Ours != len(given)-1 || !strings.Contains(err.Error(), "another program listens, for example on port") {
			t.Errorf("with a listener on %d: %v", base+7, err)
		}
		_ = l.Close()
		free() // a second time changes nothing
		if again, _, err := ports.take(PortBlock); err != nil || again != base {
			t.Errorf("after the listener has left: %d, %v; want %d", again, err, base)
		}
		return
	}
	t.Error("on no block can anybody listen")
}

// blocksOf returns ports of which exactly these blocks are free, and begin to be given at
// the first one that is named.
func blocksOf(free ...int) *Ports {
	p := &Ports{first: free[0]}
	for n := range p.taken {
		p.taken[n] = !slices.Contains(free, n)
	}
	return p
}

// freeBlocks returns a row of blocks in which nobody listens on this machine.
func freeBlocks(t *testing.T, blocks int) int {
	t.Helper()
	var all Ports
	base, _, err := all.take(blocks * PortBlock)
	if err != nil {
		t.Fatal(err)
	}
	return (base - FirstPort) / PortBlock
}

// docs/configuration.md#keys: a program that asks for many ports gets neighbouring blocks,
// and no other program gets one of them until it has ended.
//
//nolint:paralleltest // two tests that try a port at the same time are in each other's way
func TestManyPortsAreNeighbouringBlocks_givenAndFreedTogether(t *testing.T) {
	at := freeBlocks(t, 8)
	port := func(block int) int { return FirstPort + (at+block)*PortBlock }
	ports := blocksOf(at, at+1, at+2, at+3, at+4, at+5, at+6, at+7)
	take := func(n int) (int, func()) {
		t.Helper()
		base, free, err := ports.take(n)
		if err != nil {
			t.Fatal(err)
		}
		return base, free
	}
	small, freeSmall := take(1)
	big, freeBig := take(4*PortBlock + 1)
	beside, _ := take(PortBlock)
	if small != port(0) || big != port(1) || beside != port(6) {
		t.Fatalf("given: %d, then %d, then %d; want %d, %d, %d", small, big, beside, port(0), port(1), port(6))
	}
	if base, _, err := ports.take(2 * PortBlock); err == nil {
		t.Errorf("one block is free, and two begin at %d", base)
	}
	freeBig()
	if again, _ := take(3 * PortBlock); again != port(1) {
		t.Errorf("after its end: %d, want %d", again, port(1))
	}
	freeSmall()
	freeBig() // a second time changes nothing
	if next, _ := take(2 * PortBlock); next != port(4) {
		t.Errorf("the next two: %d, want %d", next, port(4))
	}
}

// What is free may lie on both sides of the block to begin at, but not at both ends.
//
//nolint:paralleltest // two tests that try a port at the same time are in each other's way
func TestManyPortsDoNotGoOnBehindTheHighest(t *testing.T) {
	at := freeBlocks(t, 2)
	if base, _, err := blocksOf(at+1, at).take(2 * PortBlock); err != nil || base != FirstPort+at*PortBlock {
		t.Errorf("on both sides of the first: %d, %v", base, err)
	}
	if base, _, err := blocksOf(portBlocks-1, 0).take(2 * PortBlock); err == nil {
		t.Errorf("%d is given: the highest and the lowest block are not beside each other", base)
	}
}

//nolint:paralleltest // two tests that try a port at the same time are in each other's way
func TestAHoleThatIsTooSmallIsNotGiven_andTheErrorSaysWhatWasAsked(t *testing.T) {
	at := freeBlocks(t, 3)
	ports := blocksOf(at, at+1, at+2)
	_, _, err := ports.take(3*PortBlock + 1)
	var full *NoPortsError
	if !errors.As(err, &full) || full.Asked != 61 || full.Ours != portBlocks-3 ||
		!strings.Contains(err.Error(), "no 61 ports in a row are free") {
		t.Fatalf("%+v: %v", full, err)
	}
	if base, _, err := ports.take(3 * PortBlock); err != nil || base != FirstPort+at*PortBlock {
		t.Errorf("the hole itself: %d, %v", base, err)
	}
}
