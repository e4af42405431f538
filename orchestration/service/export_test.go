package service

import "questboard/orchestration/record"

// LookWith makes boards read what a directory asks for in another way.
func (r Repositories) LookWith(look func(dir string) (record.RepoConfig, error)) {
	r.recent.look = look
}

// Outdate makes boards look again.
func (r Repositories) Outdate() {
	r.recent.mu.Lock()
	defer r.recent.mu.Unlock()
	for dir, kept := range r.recent.kept {
		r.recent.kept[dir] = keptConfig{config: kept.config}
	}
}

// TidyHomes removes the homes of trials that are over.
var TidyHomes = Tidier.homes
