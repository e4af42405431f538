package web

import "maps"

// BoundedRoutes returns the routes for which requests have special limits.
func BoundedRoutes() []string {
	var all []string
	for _, routes := range []map[string]bool{heavy, placeless, unbounded} {
		for path := range maps.Keys(routes) {
			all = append(all, path)
		}
	}
	return all
}
