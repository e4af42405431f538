package harness_test

import (
	"fmt"
	"os"
	"strings"
)

// act does what the role has to do.
func (r *run) act() error {
	switch role := r.key["role"]; role {
	case "chaoswhisperer":
		return r.requirements()
	case "pathseeker":
		return r.plan()
	case "codeweaver":
		if err := r.work(r.part(), r.n, nil); err != nil {
			return err
		}
		return r.complete()
	case "spiritmender":
		if err := r.mend(r.told(), r.job(), r.n); err != nil {
			return err
		}
		return r.complete()
	case "siegemaster":
		if r.key["step"] == "review" {
			return r.judges("finds.end")
		}
		return r.judges("finds.siege")
	case "lawbringer":
		return r.judges("finds.review")
	default:
		return fmt.Errorf("nothing is known of the role %s", role)
	}
}

// requirements says the size, if it is open, and stores an observable for each feature.
func (r *run) requirements() error {
	if r.key["size"] == "auto" {
		size := "full"
		switch x := draw(r.seed, r.p.name, "size", "", 1); {
		case x < r.c["errand"].Value:
			size = "errand"
		case x < r.c["errand"].Value+r.c["quick"].Value:
			size = "quick"
		}
		if err := r.server.call("set-size", object{"size": size, "reason": "It looks so."}); err != nil {
			return err
		}
		if size == "errand" {
			return r.complete()
		}
	}
	var list []object
	for f, name := range features {
		list = append(list, object{"id": "r" + name, "context": "the program",
			"observables": []object{{"id": "o" + name, "text": r.p.asks[f]}}})
	}
	if err := r.server.call("set-requirements", object{"requirements": list}); err != nil {
		return err
	}
	return r.complete()
}

// plan stores a step for each feature, beside each other.
func (r *run) plan() error {
	files := r.p.names()
	var steps []object
	for f, name := range features {
		steps = append(steps, object{"id": name, "title": "Feature " + name, "description": r.p.asks[f],
			"files": files, "dependsOn": []string{}, "observables": []string{"o" + name}})
	}
	if err := r.server.call("plan-steps", object{"steps": steps}); err != nil {
		return err
	}
	return r.complete()
}

// found begins the line in which a reviewer names what it found.
const found = "FOUND "

// judges looks at the work and hands over what it finds, three times at most.
func (r *run) judges(chance string) error {
	var list []string
	for _, fault := range r.faults(r.part()) {
		if r.happens(chance, fault, r.n) {
			list = append(list, fault)
		}
	}
	if list == nil || r.n > 3 {
		return r.complete()
	}
	text := found + strings.Join(list, " ")
	if err := r.server.call("signal-back", object{"signal": "needs-role-followup", "stepId": r.key["step"], "targetRole": "spiritmender",
		"reason": fmt.Sprintf("Look %d found faults.", r.n), "context": text, "resume": true}); err != nil {
		return err
	}
	return r.attempted()
}

// told lists what the message says is wrong: what a reviewer found, or what the check named. A resumed session
// remembers what it was told when it began.
func (r *run) told() []string {
	list := failures(r.text)
	for line := range strings.Lines(r.text) {
		if names, is := strings.CutPrefix(line, found); is {
			list = strings.Fields(names)
			break
		}
	}
	if list == nil {
		return strings.Fields(read(r.recall))
	}
	if err := os.WriteFile(r.recall, []byte(strings.Join(list, " ")), 0o600); err != nil {
		return nil
	}
	return list
}
