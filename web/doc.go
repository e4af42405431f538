// Package web is the door: routes, the middleware in front of every one of
// them, who may come in, and what an error is called in HTTP. Handlers know
// what a request means.
//
// In front of everything stands the gate (gate.go): Host, Origin and
// Sec-Fetch-Site are compared exactly, before any route is looked up. Then
// comes the owner (owner.go): a session cookie or the bearer token; /mcp has
// tokens of its own, one a run.
package web
