package channel

import (
	"errors"
	"fmt"
	"net/netip"
	"syscall"
)

// localRanges are addresses of this machine, of its network, or of nobody, beyond those
// that netip knows. Behind the last ones is an address of IPv4.
var localRanges = []netip.Prefix{
	netip.MustParsePrefix("0.0.0.0/8"),
	netip.MustParsePrefix("100.64.0.0/10"), // shared between providers and customers
	netip.MustParsePrefix("192.0.0.0/24"),
	netip.MustParsePrefix("198.18.0.0/15"), // of tests
	netip.MustParsePrefix("240.0.0.0/4"),
	netip.MustParsePrefix("fec0::/10"), // site-local
	netip.MustParsePrefix("::/96"),
	netip.MustParsePrefix("64:ff9b::/96"),
	netip.MustParsePrefix("64:ff9b:1::/48"),
	netip.MustParsePrefix("2001::/32"),
	netip.MustParsePrefix("2002::/16"),
}

// errLocal: the address may not be reached.
var errLocal = errors.New("an address of this machine or of its network; the channel's settings can allow it")

// Local reports whether an address is of this machine, of its network, or of no one host
// of the internet.
func Local(a netip.Addr) bool {
	a = a.Unmap().WithZone("")
	if !a.IsGlobalUnicast() || a.IsPrivate() {
		return true
	}
	for _, p := range localRanges {
		if p.Contains(a) {
			return true
		}
	}
	return false
}

// public is a Control of net.Dialer. It sees the address that is really connected to, so a
// name that leads elsewhere at the second look gains nothing.
func public(_, address string, _ syscall.RawConn) error {
	at, err := netip.ParseAddrPort(address)
	if err != nil {
		return fmt.Errorf("%s: %w", address, err)
	}
	if Local(at.Addr()) {
		return fmt.Errorf("%s is %w", at.Addr(), errLocal)
	}
	return nil
}
