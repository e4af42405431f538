package orchestration

import "slices"

// Wall says what in the environment stops a run, so that no role can get past it: only a
// person can (docs/state-machine.md#walls).
type Wall string

const (
	WallNetwork    Wall = "network"    // an address that cannot be reached
	WallTool       Wall = "tool"       // a program that is missing or does not work
	WallPort       Wall = "port"       // a port that another program has
	WallCredential Wall = "credential" // a login, a key or a right that is missing
	WallOther      Wall = "other"      // anything else outside of the repository
)

// Walls lists every kind of wall.
var Walls = []Wall{WallNetwork, WallTool, WallPort, WallCredential, WallOther}

// AsksAtWallsAlone reports whether the role may ask the user only what a wall of the
// environment makes necessary. It decides everything else by the requirements, or hands
// over.
func (r Role) AsksAtWallsAlone() bool { return r.row().walled }

// checkWall refuses a question without a wall of a role that needs one, and a wall of a
// role that may ask without one.
func checkWall(r *Run, s Signal) error {
	needed := r.Role.AsksAtWallsAlone()
	switch {
	case !needed && s.Wall != "":
		return wallFault("%s may ask the human without a wall: leave wall out, and say in question what stands in your way", r.Role)
	case needed && s.Wall == "":
		return wallFault("%s may ask the human only at a wall of the environment: add wall, one of %s. Decide everything else by the "+
			"requirements, or send %s",
			r.Role, list(Walls), NeedsRoleFollowup)
	case needed && !slices.Contains(Walls, s.Wall):
		return wallFault("wall %q is not possible; allowed: %s", clip(string(s.Wall)), list(Walls))
	}
	return nil
}

func wallFault(format string, args ...any) error {
	err := invalid(format, args...)
	err.Fields, err.Told = map[string]string{"wall": err.Message}, true
	return err
}
