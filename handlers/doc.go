// Package handlers answers the requests of pages: each handler decodes a request, calls
// the engine or a service, and renders a view. It owns forms, filters and what guests
// may see, and live.go renders changes for open pages. How a quest looks is left to
// package present, markup to views, and rules to orchestration.
package handlers
