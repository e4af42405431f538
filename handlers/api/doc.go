// Package api answers the JSON API under /api/v1, and /healthz, /readyz and
// /metrics beside it.
//
// One action a file: decode, check, call, present. What a request means is
// decided here; what it does to a quest is decided by package orchestration.
// The names of fields are a promise to people's scripts: the page openapi/*.yaml
// states them, and tests hold the page, the routes and the answers together.
//
// Statuses: 400 the request cannot be read (no JSON, unknown or doubled
// fields, a wrong type); 422 it can be read but a value is wrong, every wrong
// field named at once; 404 there is no such thing; 409 the state does not allow
// it (any more), with the fresh state in the body; 413 more than 1 MiB;
// 415 a body that is no application/json; 503 the server is shutting down.
package api
