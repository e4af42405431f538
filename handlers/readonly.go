package handlers

import (
	"fmt"

	"questboard/handlers/present"
	"questboard/orchestration"
	"questboard/orchestration/service"
	"questboard/views"
)

// readOnly is why nothing can be stored right now; nil: all can be.
func (p *Pages) readOnly() *service.ReadOnly {
	if p.Deps.ReadOnly == nil {
		return nil
	}
	return p.Deps.ReadOnly()
}

// readOnlyWords are the sentence that every page begins with meanwhile, and its
// remedy.
func readOnlyWords(r *service.ReadOnly) string {
	if r == nil {
		return ""
	}
	if r.Failing { // how safe what was stored is, is not ours to promise
		return fmt.Sprintf("The disk answers with an input/output error: nothing can be stored in %s. "+
			"Copy the newest file of its folder backups to another disk, then check this one (dmesg, smartctl -a): it may be dying. "+
			"Once it takes everything again, all goes on by itself within seconds. "+
			"Until then no run starts and no form is taken; what was refused can be sent again.", views.Visible(r.Dir))
	}
	what, remedy := "The data directory cannot be written", "Let the server write there again"
	if r.Full {
		what, remedy = "The disk is full", "Make space there"
	}
	free := ""
	if r.Free >= 0 {
		free = fmt.Sprintf(" (%s free)", present.Bytes(r.Free))
	}
	return fmt.Sprintf("%s: nothing can be stored in %s%s. %s, and all goes on by itself within seconds. "+
		"Until then no run starts and no form is taken; nothing that was stored is lost.", what, views.Visible(r.Dir), free, remedy)
}

// Notice is the sentence for the top of every page of the owner; empty: all is
// well.
func (p *Pages) Notice() string { return readOnlyWords(p.readOnly()) }

// Storable refuses what would have to be stored while nothing can be. A guest
// learns nothing of the server's disk.
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
