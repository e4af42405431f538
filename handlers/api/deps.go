package api

import "questboard/orchestration/service"

// Deps is what the API needs. Every field must be set.
type Deps struct {
	service.Service
	// Version goes into the OpenAPI document.
	Version string
}

// user is the actor of every request, because the server has a single owner.
const user = "user"
