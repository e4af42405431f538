// Package handlers knows what a request means: it decodes, calls the engine
// and renders a view. What a quest looks like says present; live.go renders
// what changed for open pages.
package handlers
