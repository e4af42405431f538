// Package handlers knows what a request means: it decodes, calls the engine
// and renders a view. Package present knows what a quest looks like; live.go
// renders what changed for open pages.
package handlers
