package handlers

// KnownRows returns how many rows of logs are cached.
func KnownRows(p *Pages) int { return len(p.made.young) + len(p.made.old) }
