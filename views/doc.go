// Package views has the markup of the pages: templ components and their view models. It
// owns how pages look and are escaped. It knows nothing of quests' rules; packages
// handlers and present translate.
//
// Every element that live updates replace has a stable id (web/live). Text of agents,
// repositories and people is written only through templ's escaping, after package
// present made control characters visible.
package views

//go:generate go tool templ generate -path . -log-level=warn
