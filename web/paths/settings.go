package paths

import "net/url"

// Settings has the settings that apply to all quests.
const Settings = "/settings"

// SetEditor takes a POST with the field editor.
const SetEditor = Settings + "/editor"

// SetRepository takes a POST with the fields path, setup, links and copies.
const SetRepository = Settings + "/repositories"

// RemoveRepository takes a POST with the field path.
const RemoveRepository = SetRepository + "/remove"

// SetAgent takes a POST with the fields stored, name, command and env.
const SetAgent = Settings + "/agents"

// RemoveAgent takes a POST with the field stored.
const RemoveAgent = SetAgent + "/remove"

// SettingsDisk is the settings with the disk usage of all worktrees.
const SettingsDisk = Settings + "/disk"

// Trust takes a POST with the fields quest or repo, and hash.
const Trust = Settings + "/trust"

// WithdrawTrust takes a POST with the fields quest or repo.
const WithdrawTrust = Trust + "/withdraw"

// RepositoryTrust shows what a repository wants to run or load.
func RepositoryTrust(repo string) string { return Trust + "?repo=" + url.QueryEscape(repo) }

// RepositoryTrustAt is the same, with the repository's own file as a branch or a commit has
// it; an empty base means what is checked out.
func RepositoryTrustAt(repo, base string) string {
	if base == "" {
		return RepositoryTrust(repo)
	}
	return RepositoryTrust(repo) + "&base=" + url.QueryEscape(base)
}

// QuestTrust is the same for the repository and the worktrees of a quest.
func QuestTrust(quest string) string { return Trust + "?quest=" + url.QueryEscape(quest) }

// Roles has the prompts, models and rights of the roles.
const Roles = Settings + "/roles"

// Limits has the limits of new quests, the slots, and the timeouts of the server.
const Limits = Settings + "/limits"

// Browser has the settings of one browser. A POST with the fields theme and keys changes
// them.
const Browser = Settings + "/browser"

// Doctor checks everything that a quest needs.
const Doctor = "/doctor"

// Role has the settings of one role. It takes a POST with the fields was and prompt. The
// paths below it take the other settings.
func Role(role string) string { return Roles + "/" + url.PathEscape(role) }

// PreviewRole takes a POST with the fields prompt and sample.
func PreviewRole(role string) string { return Role(role) + "/preview" }

// ResetRole takes a POST with the field was.
func ResetRole(role string) string { return Role(role) + "/reset" }

// UndoRole takes a POST with the field was.
func UndoRole(role string) string { return Role(role) + "/undo" }

// RoleTools takes a POST with the fields was, model, effort, allow and deny.
func RoleTools(role string) string { return Role(role) + "/tools" }

// Channels has the ways in which people are told of something.
const Channels = Settings + "/channels"

// TestChannel and RemoveChannel take a POST with the field id.
const (
	TestChannel   = Channels + "/test"
	RemoveChannel = Channels + "/remove"
)

// Hosts has the machines that work for this server. It takes a POST with the field name.
const Hosts = Settings + "/hosts"

// DrainHost and RemoveHost take a POST with the field host.
const (
	DrainHost  = Hosts + "/drain"
	RemoveHost = Hosts + "/remove"
)
