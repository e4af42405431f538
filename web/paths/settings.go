package paths

import "net/url"

// Settings is what the server keeps for all quests.
const Settings = "/settings"

// SetEditor takes a POST with the field editor.
const SetEditor = Settings + "/editor"

// SetRepository takes a POST with the fields path, setup, links and copies.
const SetRepository = Settings + "/repositories"

// RemoveRepository takes a POST with the field path.
const RemoveRepository = SetRepository + "/remove"

// SettingsDisk is the settings with what all worktrees take on disk.
const SettingsDisk = Settings + "/disk"

// Trust takes a POST with the fields quest or repo, and hash.
const Trust = Settings + "/trust"

// WithdrawTrust takes a POST with the fields quest or repo.
const WithdrawTrust = Trust + "/withdraw"

// RepositoryTrust is what a repository wants to run or load.
func RepositoryTrust(repo string) string { return Trust + "?repo=" + url.QueryEscape(repo) }

// QuestTrust is the same with the worktrees of a quest.
func QuestTrust(quest string) string { return Trust + "?quest=" + url.QueryEscape(quest) }

// Roles are the prompts, models and rights of the roles.
const Roles = Settings + "/roles"

// Limits are those of new quests, the slots, and how long the server waits for
// what.
const Limits = Settings + "/limits"

// Browser is what belongs to one browser alone; a POST with the fields theme
// and keys sets it.
const Browser = Settings + "/browser"

// Doctor checks all that a quest needs.
const Doctor = "/doctor"

// Role is what can be chosen for one role. It takes a POST with the fields was
// and prompt; the paths below it take what their names say.
func Role(role string) string { return Roles + "/" + url.PathEscape(role) }

// PreviewRole takes a POST with the fields prompt and sample.
func PreviewRole(role string) string { return Role(role) + "/preview" }

// ResetRole takes a POST with the field was.
func ResetRole(role string) string { return Role(role) + "/reset" }

// UndoRole takes a POST with the field was.
func UndoRole(role string) string { return Role(role) + "/undo" }

// RoleTools takes a POST with the fields was, model, effort, allow and deny.
func RoleTools(role string) string { return Role(role) + "/tools" }
