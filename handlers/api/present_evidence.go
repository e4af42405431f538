package api

import "questboard/orchestration"

// evidenceJSON is an observable at one of its steps, with what was proven there.
type evidenceJSON struct {
	Requirement string                      `json:"requirement"`
	Observable  string                      `json:"observable"`
	Step        *string                     `json:"step"`
	State       orchestration.ProofState    `json:"state"`
	Kind        *orchestration.EvidenceKind `json:"kind"`
	How         string                      `json:"how"`
	Proof       *proofJSON                  `json:"proof"`
	By          *orchestration.Role         `json:"by"` // who proved it in the review, for a step without a siege
}

// proofJSON says whose verdict proved something, and of which commit that is true.
type proofJSON struct {
	Run       string  `json:"run"`
	Commit    *string `json:"commit"`
	Changed   bool    `json:"changed"`
	ChangedIn *string `json:"changedIn"`
}

// unprovenJSON is an observable that a verdict did not prove.
type unprovenJSON struct {
	Observable string                   `json:"observable"`
	Step       string                   `json:"step"`
	State      orchestration.ProofState `json:"state"`
	Why        string                   `json:"why"`
}

func presentEvidence(q *orchestration.Quest) []evidenceJSON {
	out := []evidenceJSON{}
	for _, p := range q.Evidence() {
		e := evidenceJSON{Requirement: p.Requirement, Observable: p.Observable.ID, Step: orNull(p.Step), State: p.State,
			Kind: orNull(p.Kind), How: p.How, By: orNull(p.By)}
		if !p.State.Gap() {
			e.Proof = presentProof(&p.Proof)
		}
		out = append(out, e)
	}
	return out
}

func presentProof(p *orchestration.Proof) *proofJSON {
	if p == nil {
		return nil
	}
	return &proofJSON{Run: p.Run, Commit: orNull(p.Commit), Changed: p.Changed, ChangedIn: orNull(p.ChangedIn)}
}
