// Package simulated is an agent without a model. It plays a scenario: it prints
// stream-json as the Claude Code CLI does, and makes real MCP calls and real edits. To
// the rest of the server it looks like a real agent. It is built in and is the default.
//
// A scenario is a YAML list. Each entry names a role, optionally a step and a visit
// (the number of the run among those of that role and step, from 1), and what to do.
// The first entry that matches a run is played:
//
//   - role: codeweaver
//     step: hello
//     visit: 1
//     do:
//   - say: text                        # one assistant message
//   - tool: {name: N, input: {…}}      # a real call of the MCP tool N
//   - write: {path: P, content: C}     # below the working directory only
//   - run: shell command               # by /bin/sh, its output is the result
//   - talk: {text: T, lines: 600, every: 10ms}  # as many messages, at that pace
//   - sleep: 2s                        # silent
//   - exit: 3                          # leaves at once, no result line
//   - hang: true                       # silent until it is ended
//   - compact: true                    # as if the conversation were summarised
//   - garbage: "no json\n"             # these bytes, as they are
//   - spawn: shell command             # left behind in a session of its own
//   - api-error: overloaded            # or rate-limit, auth, context
//
// A message of talk is "T 17 at N": its number, and the time in nanoseconds since 1970.
// So a reader knows which messages are missing and how old each is.
//
// A call of signal-back without a stepId gets the run's. A complete without evidence gets
// some for each observable that the prompt asks it for; with "evidence: []" it gets none.
// Where a quest has no size yet and the entry of chaoswhisperer does not call set-size, the
// size is full.
// After an accepted signal the
// turn ends with exit 0, even if actions are left. If the list ends without a signal,
// the exit is clean, without a signal. A run that no entry matches says so and signals
// complete; but chaoswhisperer and pathseeker must supply data that cannot be made up,
// so they exit 1.
package simulated
