-- What the agents of a quest may use, beside money. 0: no limit. The time is in nanoseconds.
ALTER TABLE quests ADD COLUMN budget_tokens INTEGER NOT NULL DEFAULT 0;
ALTER TABLE quests ADD COLUMN budget_time INTEGER NOT NULL DEFAULT 0;

-- What a run may use: usd, tokens and time, as JSON. A measure that is missing has no limit.
ALTER TABLE runs ADD COLUMN cap TEXT NOT NULL DEFAULT '{}';
