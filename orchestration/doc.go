// Package orchestration is the pure core: what a quest is and every rule about
// it. It knows no clock, randomness, goroutine, I/O or log.
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
//
// # Phases and stages
//
//	requirements -> [gate] -> plan -> [gate] -> steps -> review -> complete
//	                            ^                 |  ^      |
//	                            +-- feedback      |  +------+ new steps
//
//	waiting -> ready -> codeweaver -> ward -> siegemaster -> ward -> done
//	                        ^          | red       | gaps
//	                        |          v           v
//	                        +---- spiritmender, pathseeker (re-split), lawbringer
//
// The lines requirements, plan and review live as steps do: they have runs, a
// stack of returns, questions and blocks, under reserved ids.
//
// # Cells that the documents leave open, settled here
//
//   - A limit of n lets n happen and blocks what comes after (stuck 1: resumed
//     once, then blocked). Ward alone blocks at the n-th failure in a row:
//     "ward failed 3 of 3 times".
//   - A run that never opened its session has nothing to resume: after a crash
//     it starts again as it was meant to, with the same brief.
//   - A signal of a run that is over is refused; the first one is recorded in
//     the history, later ones are not, so that a mad agent cannot fill it.
//   - A stop, a message and "pause now" decide at once what follows; the exit
//     of the process then only frees the slot.
//   - A re-split by the user is for steps that are ready or at work; a step
//     that waits is edited instead. What the step had open is dropped.
//   - Feedback is accepted for requirements and plan while they are blocked,
//     too, gate or none; where ward blocked the line it goes to whoever waits for
//     the check. The newest run of a blocked line takes a message, if it is an
//     agent's, opened its session, waits for nobody and its context is not full.
//     Both end the block and zero the counters.
//   - Budget and runs are looked at whenever a wait ends or the user changes
//     them: lowered below what was used, they hold the quest at once.
//   - Another check command forgets which trees were green.
//   - A run that was stopped in the queue counts as a run of the quest.
//   - The answer to a bad plan names the first 100 faults and 10 cycles.
//   - A plan that is sent back at its gate is replaced as a whole.
//   - Observables named by a step are not checked against the requirements: a
//     wrong name harms nobody and would cost a planner a round.
//   - The counters of the review stay when it starts anew, so that review and
//     re-split cannot chase each other for ever.
//   - resume with a pause and a spent budget at once is refused whole.
//
// Worktree mode:
//
//   - The check of the base is a run of ward of the line plan, whose tree is the
//     quest's own; no step starts before its verdict, and where it cannot run at
//     all that line is blocked. Red does not stop the quest. Accepted: a failure
//     passes where its exit code is the base's and every line that says what
//     failed is one of the base's. Another check command forgets the baseline.
//   - Comments on a step that is not merged wait until whoever works there is
//     done and ward has passed; then Spiritmender acts, and Siegemaster looks
//     again. They end a block as a retry does. Where ward fails, or a merge, they
//     go along with what is to mend. On what is merged they are a step of their
//     own; a complete quest is open again until it is delivered.
//   - Conflict markers that are left after a mend count as a ward failure. Work
//     that could not be committed blocks: ward would undo it.
//   - A line's tree is given up once it is settled and no process of it lives;
//     the quest's own once it is delivered or abandoned.
package orchestration
