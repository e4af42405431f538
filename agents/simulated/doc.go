// Package simulated is an agent without a model: it plays a scenario file,
// speaks stream-json as the Claude Code CLI does, makes real MCP calls and real
// edits. It is the embedded default: what the rest of the server sees of it is
// what it sees of a real agent.
//
// A scenario is a YAML list. Each entry names a role, optionally a step and a
// visit (the how-manieth run of that role for that step, from 1), and what to
// do; the first entry that fits a run is played:
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
//   - garbage: "no json\n"             # these bytes, as they are
//   - spawn: shell command             # left behind in a session of its own
//   - api-error: overloaded            # or rate-limit, auth, context
//
// A message of talk is "T 17 at N": its number, and the time in nanoseconds since
// 1970, so that whoever reads it knows what is missing and how old it is.
//
// A tool call of signal-back gets the run's stepId where it names none. Once a
// signal was accepted the turn ends with exit 0, whatever would follow. The end
// of the list without a signal is a clean exit without one. A run that no entry
// fits says so and signals complete; chaoswhisperer and pathseeker owe data
// that cannot be made up, so they exit 1.
package simulated
