package present

import "questboard/orchestration"

// roleRow is how pages show a role.
type roleRow struct {
	does    string // what it is for, in one line
	column  string // where a card stands while the role works; "" if it works on no card
	colour  string // of its bars: a class of static/css/slots.css; "" for the colour of running work
	texture string // of its bars: a path within 8 by 8 pixels; "" for none
}

// roles is what pages know of roles. What the rules know stands in orchestration/role.go.
// Textures make roles distinguishable without colours. Codeweaver has none, because most
// bars are Codeweaver's.
var roles = map[orchestration.Role]roleRow{
	orchestration.ChaosWhisperer: {does: "writes the requirements, and asks where the request is unclear", colour: "line", texture: "M0 4H8"},
	orchestration.PathSeeker:     {does: "finds the files and plans the steps", column: "plan", colour: "accent", texture: "M4 0V8"},
	orchestration.Codeweaver:     {does: "writes one step, with its tests", column: "build"},
	orchestration.Ward:           {does: "runs the project's check", column: "ward", colour: "idle", texture: "M0 8L8 0"},
	orchestration.Siegemaster: {does: "tests the edge cases and tries to break it", column: "siege", colour: "good",
		texture: "M3 4h2M4 3v2"},
	orchestration.Spiritmender: {does: "fixes what the check or a reviewer found", column: "mend", colour: "ask", texture: "M0 0L8 8"},
	orchestration.Lawbringer: {does: "reviews all the work before the quest is complete", column: "review", colour: "bad",
		texture: "M0 4H8M4 0V8"},
}

// RoleName is the name of a role, safe to show: an imported quest may have any role.
func RoleName(r orchestration.Role) string { return clean(r.Name()) }

// RoleDoes says in a few words what a role does. It is "" for an unknown role.
func RoleDoes(r orchestration.Role) string { return roles[r].does }

// HasCards reports whether the role works on steps that have cards.
func HasCards(r orchestration.Role) bool { return roles[r].column != "" }
