// Package hosts lets agents and checks work on other machines. The server has a Registry: for
// the engine it is the other hosts, and a Remote carries out the runs of each. A host has a
// Link: for its engine.Host it is the engine.
//
// A host connects to the server, and never the other way round: it needs no open port, only
// the server's address and a key. It sees the quests that work on it and no others, and never
// the database. Both talk over one websocket (peer.go, wire.go); objects of git, attachments
// and the calls of agents go over plain requests (serve.go, sync.go).
//
//   - Each side beats. A host that has not heard the server for two thirds of the lease ends its
//     agents. A server that has not heard a host for the whole lease says that its runs were
//     interrupted. So a run is never at work in two places.
//   - What a host reports is kept until the server has answered that it is stored. After a
//     connection was lost it is sent again: the rules ignore what is known already.
//   - After each run and each merge the host sends the quest's branches, before it reports the
//     end. So the server has everything that was reported, and a quest can go to another host.
package hosts

import "time"

// Times are the times of a connection. A host ends its agents well before the server gives them
// up, because their end takes time, and so that clocks of different speed do no harm.
type Times struct {
	Beat   time.Duration // between two words of either side
	Silent time.Duration // without a word: the connection is cut
	Alone  time.Duration // without the server: the host ends its agents
	Lease  time.Duration // without the host: the server gives up its runs
	Gone   time.Duration // without the host: its quests go to others
}

// DefaultLease is the lease of hosts.
const DefaultLease = 30 * time.Second

// TimesOf returns the times that go with a lease.
func TimesOf(lease time.Duration) Times {
	return Times{Beat: lease / 6, Silent: lease * 2 / 5, Alone: lease * 2 / 3, Lease: lease, Gone: 20 * lease}
}
