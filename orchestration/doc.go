// Package orchestration is the core: it says what a quest is, and it decides what every
// input does to a quest and which runs get the free slots. It owns all rules, and it is
// pure: no clock, no randomness, no goroutine, no I/O and no log. It leaves storing,
// running and showing quests to others; docs/state-machine.md has the rules, and tests
// read the tables there.
//
// # The caller's contract
//
//  1. Pass every input through Apply (a new quest through Create), one at a time for
//     each quest, with the time as data.
//  2. An error is a refusal (*Error): nothing changed. Its text is for the sender, a
//     person or a model.
//  3. Commit a Transition in one transaction that is guarded by its Before version. A
//     failed commit means that nothing happened.
//  4. Only after the commit: answer the input, publish, carry out the Effects.
//  5. Report the outcome of an effect as an input (RunExited …).
//  6. After every commit Assign says who gets the free slots. Apply each Grant as
//     SlotGranted.
//  7. Ask Controls, StepControls and RunControls what a person may press now, and May
//     for the reason why not. Apply asks the same predicates.
package orchestration
