package present

import (
	"questboard/orchestration"
	"questboard/views"
	"questboard/web/paths"
)

// Attached shows a file that came with a request. Without a URL it is only named.
func Attached(a orchestration.Attachment, url string) views.Attached {
	return views.Attached{Name: clean(a.Name), URL: url, Image: a.Image(), Size: Bytes(a.Size)}
}

// attached are the files that came with the quest's request; none for guests, who do not see
// the request.
func (p *Quest) attached() []views.Attached {
	if p.guest() {
		return nil
	}
	list := make([]views.Attached, len(p.q.Attachments))
	for i, a := range p.q.Attachments {
		list[i] = Attached(a, paths.Attachment(p.q.ID, a.Name))
	}
	return list
}
