package handlers

import (
	"fmt"

	"questboard/handlers/present"
	"questboard/orchestration"
	"questboard/orchestration/service"
	"questboard/views"
)

// readOnly returns why nothing can be stored right now; nil: everything can be stored.
func (p *Pages) readOnly() *service.ReadOnly {
	if p.Deps.ReadOnly == nil {
		return nil
	}
	return p.Deps.ReadOnly()
}

// readOnlyWords returns the notice at the top of every page meanwhile, with the remedy.
func readOnlyWords(r *service.ReadOnly) string {
	if r == nil {
		return ""
	}
	if r.Failing { // we cannot promise how safe the stored data is
		return fmt.Sprintf("The disk reports an input/output error: nothing can be stored in %s. "+
			"Copy the newest file from the backups folder there to another disk, then check the failing disk (dmesg, smartctl -a). "+
			"Once the disk can be written again, everything continues within seconds. "+
			"Until then, no run starts and no form is accepted; send again what was refused.", views.Visible(r.Dir))
	}
	if r.Away || r.Remote {
		what, remedy := "PostgreSQL takes no changes", "Let it be written again"
		switch {
		case r.Away:
			what, remedy = "The PostgreSQL database does not answer", "Start it, or mend the network"
		case r.Full:
			what, remedy = "The disk of PostgreSQL is full", "Make space there"
		}
		return fmt.Sprintf("%s: nothing can be stored. %s, and everything continues on its own within seconds. "+
			"Until then no run starts and no form is accepted; nothing that was stored is lost.", what, remedy)
	}
	what, remedy := "The data directory cannot be written", "Let the server write there again"
	if r.Full {
		what, remedy = "The disk is full", "Make space there"
	}
	free := ""
	if r.Free >= 0 {
		free = fmt.Sprintf(" (%s free)", present.Bytes(r.Free))
	}
	return fmt.Sprintf("%s: nothing can be stored in %s%s. %s, and everything continues on its own within seconds. "+
		"Until then no run starts and no form is accepted; nothing that was stored is lost.", what, views.Visible(r.Dir), free, remedy)
}

// ReadOnlyNotice says why nothing can be stored, and the remedy, for the top of every page
// of the owner; empty: all is well.
func (p *Pages) ReadOnlyNotice() string { return readOnlyWords(p.readOnly()) }

// Storable refuses a request that would have to store something while nothing can be
// stored. It tells a guest nothing about the server's disk.
func (p *Pages) Storable(guest bool) error {
	r := p.readOnly()
	if r == nil {
		return nil
	}
	message := "the server cannot store anything right now, and nothing was changed: try again in a few minutes"
	if !guest {
		message = "nothing was changed. " + readOnlyWords(r)
	}
	return &orchestration.Error{Code: orchestration.CodeUnavailable, Message: message}
}
