// Package views holds the markup of the pages: templ components and their own
// view models. It knows nothing of the domain; package handlers translates.
//
// Every element that live updates replace has a stable id (web/live). Text of
// agents, repositories and people is only ever written through templ's
// escaping; package handlers has made control characters visible before.
package views

//go:generate go tool templ generate -path . -log-level=warn
