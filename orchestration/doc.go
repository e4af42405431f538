// Package orchestration is the pure core: what a quest is and every rule about
// it. It knows no clock, randomness, goroutine, I/O or log. The rules are
// written down in docs/state-machine.md, whose tables the tests read.
//
// # The caller's contract
//
//  1. Every input goes through Apply (a new quest through Create), one at a
//     time for each quest, with the time as data.
//  2. An error is a refusal (*Error): nothing changed. Its text is made for
//     whoever sent the input, a person or a model.
//  3. A Transition is committed in one transaction that is guarded by its
//     Before version. A failed commit means that nothing happened.
//  4. Only after the commit: answer the input, publish, carry out Effects.
//  5. What becomes of an effect comes back as an input (RunExited …).
//  6. After every commit Assign says who gets the free slots; each Grant comes
//     back as SlotGranted.
//  7. What a person may press now is asked of Controls, LineControls and
//     RunControls, or of May, which says why not. Apply asks the same predicates.
package orchestration
