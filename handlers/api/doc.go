// Package api serves the JSON API below /api/v1, and /healthz and /readyz. It decides
// how requests are read and how answers look. Package orchestration has the rules of
// quests, and package service has the operations that API and pages share.
//
// Each action has a file and four parts: decode, check, call, present. Keep the names of
// fields, because users' scripts rely on them. openapi/*.yaml documents them, and tests
// compare the document with the routes and the answers.
//
// The statuses of errors:
//
//	400  the request cannot be read: no JSON, an unknown or duplicate field, a wrong type
//	404  there is no such thing
//	409  the state does not allow it, or no longer; the body has the current state
//	413  the body is larger than 1 MiB
//	415  the body is not application/json
//	422  values are wrong; the body names all of them
//	503  the server is shutting down
package api
