// Package web is the entrance: it owns the routes, the middleware in front of them,
// sessions, and how an error becomes an HTTP status. What a request means is left to
// package handlers.
//
// First comes the gate (gate.go): it compares Host, Origin and Sec-Fetch-Site exactly,
// before any route is looked up. Then comes the owner (owner.go): a session cookie or
// the bearer token. /mcp has its own tokens, one per run.
package web
