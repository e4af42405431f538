// Package web is the entrance of the server: the routes, the middleware in front of them,
// sessions, and the HTTP status of errors. Package handlers decides what a request means.
//
// First comes the gate (gate.go): it compares Host, Origin and Sec-Fetch-Site exactly,
// before any route is looked up. Then comes the owner (owner.go): a session cookie or the
// bearer token. /mcp has its own tokens, one per run.
package web
