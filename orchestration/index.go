package orchestration

type index struct{ byID map[string]int }
