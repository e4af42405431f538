package orchestration_test

import (
	"slices"
	"strings"

	"pgregory.net/rapid"

	"questboard/orchestration"
)

// What the walks do with evidence: a verdict carries it for each observable of its step.
// Now and then a signal with a fault comes first.

// prove adds the evidence that a complete needs, with what the server sees of it.
func (w *walk) prove(r *orchestration.Run, f *orchestration.SignalReceived) {
	if f.Signal.Kind != orchestration.Complete {
		return
	}
	if !w.m.verdictOf(w.q, r) {
		if len(w.observables()) > 0 && w.one("evidence that nobody asked for", 10) {
			w.proveWrongly(*f, given(w.observables()[0], 0), "refused: no evidence is asked")
		}
		return
	}
	for _, o := range w.m.owed(w.q, r) {
		e := given(o, w.pick("kind of evidence", 4))
		f.Signal.Evidence, f.Found = append(f.Signal.Evidence, e), append(f.Found, orchestration.Sought{Is: true})
		w.cov.add("evidence: " + string(e.Kind))
	}
	if len(f.Signal.Evidence) > 0 && w.one("a fault in the evidence", 2) {
		w.faulty(r, *f)
	}
}

func given(observable string, kind int) orchestration.Evidence {
	return []orchestration.Evidence{
		{Observable: observable, Kind: orchestration.ByCommand, How: "./greet: exit code 2"},
		{Observable: observable, Kind: orchestration.ByTest, How: "TestGreet"},
		{Observable: observable, Kind: orchestration.ByPlace, How: "greet.go:12"},
		{Observable: observable, Kind: orchestration.Unproven, How: "no network"},
	}[kind]
}

// faulty sends the signal with one fault in its evidence.
func (w *walk) faulty(r *orchestration.Run, f orchestration.SignalReceived) {
	at := w.pick("which evidence", len(f.Signal.Evidence))
	all := slices.Clone(f.Signal.Evidence)
	switch name := rapid.SampledFrom([]string{"missing", "foreign", "twice", "not in the tree", "empty", "kind"}).Draw(w.rt, "fault"); name {
	case "missing":
		w.refusedEvidence(f, slices.Concat(all[:at:at], all[at+1:]), all[at].Observable, name)
	case "foreign":
		other := "o9"
		for _, o := range w.observables() {
			if !slices.Contains(w.m.owed(w.q, r), o) {
				other = o
			}
		}
		w.refusedEvidence(f, append(all, given(other, 0)), other, name)
	case "twice":
		w.refusedEvidence(f, append(all, all[at]), all[at].Observable, name)
	case "not in the tree":
		all[at] = given(all[at].Observable, 1+w.pick("test or place", 2))
		f.Found = slices.Clone(f.Found)
		f.Found[at] = orchestration.Sought{Why: "no file has it"}
		if w.one("nobody looked", 3) {
			f.Found = nil
		}
		w.refusedEvidence(f, all, all[at].Observable, name)
	case "empty":
		all[at].How = rapid.SampledFrom([]string{"", " ", strings.Repeat("x", 1001)}).Draw(w.rt, "how")
		w.refusedEvidence(f, all, all[at].Observable, name)
	case "kind":
		all[at] = orchestration.Evidence{Observable: all[at].Observable, Kind: "command", How: "it works"}
		if w.one("no such kind", 2) {
			all[at].Kind = "belief"
		}
		w.refusedEvidence(f, all, all[at].Observable, name)
	}
}

// refusedEvidence: the refusal names the observable, and nothing changes.
func (w *walk) refusedEvidence(f orchestration.SignalReceived, with []orchestration.Evidence, observable, fault string) {
	f.Signal.Evidence = with
	before := w.q
	err := w.apply(f)
	if err == nil || !strings.Contains(err.Error(), observable) || w.q != before {
		w.rt.Fatalf("evidence of %s: %s: %+v: error %v", observable, fault, f, err)
	}
	w.cov.add("refused: evidence " + fault)
}

// proveWrongly sends evidence where none is asked for.
func (w *walk) proveWrongly(f orchestration.SignalReceived, e orchestration.Evidence, key string) {
	f.Signal.Evidence = []orchestration.Evidence{e}
	before := w.q
	if err := w.apply(f); err == nil || w.q != before {
		w.rt.Fatalf("%+v was accepted", f)
	}
	w.cov.add(key)
}

// countProofs counts what becomes of the evidence.
func (w *walk) countProofs(before *orchestration.Quest) {
	if before == nil {
		return
	}
	was := map[string]orchestration.Proven{}
	for _, p := range before.Evidence() {
		was[p.Step+" "+p.Observable.ID] = p
	}
	for _, p := range w.q.Evidence() {
		old := was[p.Step+" "+p.Observable.ID]
		if p.State != old.State {
			w.cov.add("proof: " + string(p.State))
			if p.By != "" {
				w.cov.add("proof: " + p.ByWords())
			}
		}
		if p.Proof.Commit != "" && old.Proof.Commit == "" {
			w.cov.add("proof: of a commit")
		}
		if p.Proof.Changed && !old.Proof.Changed {
			w.cov.add("proof: changed since")
		}
	}
}

// wantedProofs lists what the walks must meet of evidence. They meet no quest of an
// older version and edit no observables after a verdict. A review that owns observables
// and ends with a hand-over is too rare.
func wantedProofs() []string {
	keys := []string{"proof: of a commit", "proof: changed since", "refused: no evidence is asked"}
	for _, k := range orchestration.EvidenceKinds {
		keys = append(keys, "evidence: "+string(k))
	}
	for _, fault := range []string{"missing", "foreign", "twice", "not in the tree", "empty", "kind"} {
		keys = append(keys, "refused: evidence "+fault)
	}
	for _, s := range orchestration.ProofStates {
		if s != orchestration.ProofBefore && s != orchestration.ProofLater && s != orchestration.ProofLeft {
			keys = append(keys, "proof: "+string(s))
		}
	}
	return keys
}
