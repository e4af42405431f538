package api

import "questboard/orchestration/service"

// Deps is what the API is made of. Every field is needed.
type Deps struct {
	service.Service
	// Version goes into the OpenAPI document.
	Version string
}

// user is the actor of all that comes in here: there is one owner as yet.
const user = "user"
