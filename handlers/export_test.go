package handlers

// KnownRows is how many rows of logs are remembered.
func KnownRows(p *Pages) int { return len(p.made.young) + len(p.made.old) }
