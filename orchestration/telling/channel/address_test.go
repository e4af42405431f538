package channel_test

import (
	"context"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/net/dns/dnsmessage"

	"questboard/orchestration/record"
	"questboard/orchestration/telling/channel"
)

func TestWhichAddressesAreLocal(t *testing.T) {
	t.Parallel()
	for address, local := range map[string]bool{
		"127.0.0.1": true, "127.255.255.254": true, "::1": true, "::ffff:127.0.0.1": true, "::127.0.0.1": true,
		"0.0.0.0": true, "0.1.2.3": true, "::": true,
		"10.0.0.1": true, "172.16.0.1": true, "172.31.255.255": true, "192.168.1.1": true, "fd00::1": true, "fc00::1": true,
		"169.254.169.254": true, "fe80::1%eth0": true, "fec0::1": true, "::ffff:169.254.169.254": true,
		"100.64.0.1": true, "100.127.255.255": true, "192.0.0.170": true, "198.18.0.1": true,
		"224.0.0.1": true, "ff02::1": true, "240.0.0.1": true, "255.255.255.255": true,
		"64:ff9b::7f00:1": true, "64:ff9b:1::a00:1": true, "2002:7f00:1::": true, "2001::1": true,
		"1.1.1.1": false, "172.15.0.1": false, "172.32.0.1": false, "100.63.255.255": false, "100.128.0.1": false,
		"192.0.2.1": false, "198.20.0.1": false, "2606:4700::1111": false, "::ffff:1.1.1.1": false,
	} {
		if got := channel.Local(netip.MustParseAddr(address)); got != local {
			t.Errorf("%s: %v, want %v", address, got, local)
		}
	}
}

// names answers for every name with loopback, as an attacker's server might. What it says of
// turning.example changes from question to question, and both.example has two addresses.
type names struct {
	mu    sync.Mutex
	asked map[string]int
}

// public is an address of the internet where nobody answers (RFC 5737).
var public = [4]byte{203, 0, 113, 1}

func (n *names) addresses(name string) [][4]byte {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.asked[name]++
	switch {
	case name == "turning.example." && n.asked[name] == 1:
		return [][4]byte{public}
	case name == "both.example.":
		return [][4]byte{public, {127, 0, 0, 1}}
	default:
		return [][4]byte{{127, 0, 0, 1}}
	}
}

// answer reads one question and answers it: no address of IPv6, and those of IPv4 as names
// says.
func (n *names) answer(question []byte) ([]byte, error) {
	var m dnsmessage.Message
	if err := m.Unpack(question); err != nil {
		return nil, err
	}
	m.Response = true
	m.Additionals = nil
	if q := m.Questions[0]; q.Type == dnsmessage.TypeA {
		for _, at := range n.addresses(q.Name.String()) {
			m.Answers = append(m.Answers, dnsmessage.Resource{Header: dnsmessage.ResourceHeader{Name: q.Name, Type: q.Type, Class: q.Class}, Body: &dnsmessage.AResource{A: at}})
		}
	}
	return m.Pack()
}

// resolver asks a server of the test's own.
func resolver(t *testing.T) *net.Resolver {
	t.Helper()
	n := &names{asked: map[string]int{}}
	server, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	go func() { // until the server is closed
		question := make([]byte, 512)
		for {
			length, from, err := server.ReadFrom(question)
			if err != nil {
				return
			}
			if answer, err := n.answer(question[:length]); err == nil {
				_, _ = server.WriteTo(answer, from)
			}
		}
	}()
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "udp", server.LocalAddr().String())
	}}
}

const refusal = "an address of this machine or of its network; the channel's settings can allow it"

// The check is of the address that is connected to, so neither a name for it nor another way
// to write it gains anything. Go looks up no name of numbers alone, C does.
func TestLocalAddressesAreNotReachedUnlessTheChannelAllowsThem(t *testing.T) {
	t.Parallel()
	url, came := receiver(t, nil)
	port := url[strings.LastIndexByte(url, ':'):]
	for name, host := range map[string]string{
		"loopback": "127.0.0.1", "another loopback": "127.1.2.3", "IPv6 loopback": "[::1]", "its name": "localhost", "its name below itself": "a.localhost",
		"IPv4 in IPv6": "[::ffff:127.0.0.1]", "IPv4 in IPv6, hexadecimal": "[::ffff:7f00:1]", "IPv4, compatible": "[::127.0.0.1]",
		"no address": "0.0.0.0", "no address of IPv6": "[::]",
		"link-local": "169.254.169.254", "link-local of IPv6": "[fe80::1%25lo]",
		"NAT64": "[64:ff9b::7f00:1]", "NAT64 of a network": "[64:ff9b:1::7f00:1]", "6to4": "[2002:7f00:1::]",
		"decimal": "2130706433", "octal": "0177.0.0.1", "hexadecimal": "0x7f000001", "short": "127.1", "with a dot": "localhost.",
		"a name of the internet": "inside.example", "full-width digits": "１２７.０.０.１",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := sender(t)
			s.Resolver = resolver(t)
			for _, kind := range []record.ChannelKind{record.ChannelWebhook, record.ChannelSlack, record.ChannelNtfy} {
				fault := faultOf(t, s.Send(t.Context(), record.Channel{Kind: kind, Address: "http://" + host + port + "/topic"}, question()))
				refused := fault != nil && (strings.HasSuffix(fault.Why, refusal) || strings.HasSuffix(fault.Why, "no such host"))
				if !refused || strings.Contains(fault.Why, "topic") {
					t.Errorf("%s: %+v", kind, fault)
				}
			}
		})
	}
	t.Cleanup(func() {
		if len(came) != 0 {
			t.Errorf("%d requests arrived", len(came))
		}
	})
	allowed, _ := receiver(t, nil)
	if err := sender(t).Send(t.Context(), record.Channel{Kind: record.ChannelWebhook, Address: allowed, Local: true}, question()); err != nil {
		t.Error(err)
	}
}

// A name that leads to the internet at the first look, and to this machine at the second, or
// to both at once.
func TestANameThatChangesItsAddressDoesNotLeadToThisMachine(t *testing.T) {
	t.Parallel()
	url, came := receiver(t, nil)
	port := url[strings.LastIndexByte(url, ':'):]
	s := sender(t)
	s.Resolver, s.HTTPLimit = resolver(t), 300*time.Millisecond
	send := func(name string) string {
		fault := faultOf(t, s.Send(t.Context(), record.Channel{Kind: record.ChannelWebhook, Address: "http://" + name + port}, question()))
		if fault == nil {
			t.Fatalf("%s: it arrived", name)
		}
		return fault.Why
	}
	if why := send("turning.example"); strings.Contains(why, refusal) {
		t.Errorf("the first look, which finds an address of the internet: %s", why)
	}
	if why := send("turning.example"); !strings.HasSuffix(why, refusal) {
		t.Errorf("the second look: %s", why)
	}
	send("both.example")
	if len(came) != 0 {
		t.Errorf("%d requests arrived", len(came))
	}
}

// A redirect is followed neither to this machine nor anywhere else.
func TestARedirectToThisMachineIsNotFollowed(t *testing.T) {
	t.Parallel()
	inside, came := receiver(t, nil)
	url, _ := receiver(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, inside, http.StatusTemporaryRedirect)
	})
	fault := faultOf(t, sender(t).Send(t.Context(), record.Channel{Kind: record.ChannelWebhook, Address: url, Local: true}, question()))
	if fault == nil || fault.Why != "it answered 307 Temporary Redirect; redirects are not followed" || len(came) != 0 {
		t.Errorf("%+v, %d arrived", fault, len(came))
	}
}
