package handlers

import "questboard/views"

// KnownRows is how many rows of logs are remembered.
func KnownRows(p *Pages) int { return len(p.made.young) + len(p.made.old) }

// Options are the choices that a question offers.
func Options(question string) []views.Option { return options(question) }
