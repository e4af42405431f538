package web

import "maps"

// BoundedRoutes are those that the limits on requests name.
func BoundedRoutes() []string {
	var all []string
	for _, routes := range []map[string]bool{heavy, placeless, unbounded} {
		for path := range maps.Keys(routes) {
			all = append(all, path)
		}
	}
	return all
}
