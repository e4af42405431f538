// Package repofile reads a repository's own settings for quests, .questboard/config.yaml
// and .questboard/roles, from the objects of a commit (docs/configuration.md). Others
// wrote these files: they are data, their sizes are limited, and every fault names file,
// line and key. Whether they count is for the user to say (orchestration/record, trust).
package repofile
