// Package api answers the JSON API below /api/v1, and /healthz and /readyz. It owns how
// requests are read and how answers look; the rules of quests are left to package
// orchestration, and the shared operations to package service.
//
// Each action has a file: decode, check, call, present. Users' scripts rely on the
// names of fields. openapi/*.yaml documents them, and tests compare the document, the
// routes and the answers.
//
// Statuses: 400 the request cannot be read (no JSON, unknown or duplicate fields, a
// wrong type); 422 it can be read but values are wrong, with all faults at once; 404
// there is no such thing; 409 the state does not allow it (any more), with the current
// state in the body; 413 more than 1 MiB; 415 a body that is not application/json; 503
// the server is shutting down.
package api
