// Package handlers knows what a request means: it decodes, calls the engine
// and renders a view. One action a file; present_*.go turn the domain into
// view models; live.go renders what changed for open pages.
package handlers
