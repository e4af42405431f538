// Package views has the markup of the pages: templ components and their view models. It
// decides how pages look, and escapes all texts. It does not know the rules of quests;
// packages handlers and present turn quests into view models.
//
// Every element that live updates replace has a fixed id (web/live). Texts of agents,
// repositories and people pass templ's escaping, after package present made control
// characters visible.
package views

//go:generate go tool templ generate -path . -log-level=warn
