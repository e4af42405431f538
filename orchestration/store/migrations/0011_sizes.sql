-- How much of the process a quest goes through, who said it and why. Quests of older
-- versions went through all of it.
ALTER TABLE quests ADD COLUMN size TEXT NOT NULL DEFAULT 'full';
ALTER TABLE quests ADD COLUMN sized_by TEXT NOT NULL DEFAULT '';
ALTER TABLE quests ADD COLUMN size_reason TEXT NOT NULL DEFAULT '';

-- Which steps get a siege. Empty: as the size has it.
ALTER TABLE quests ADD COLUMN siege TEXT NOT NULL DEFAULT '';

-- How much a mistake in a step would cost, and why. Empty: normal.
ALTER TABLE steps ADD COLUMN risk TEXT NOT NULL DEFAULT '';
ALTER TABLE steps ADD COLUMN risk_reason TEXT NOT NULL DEFAULT '';

-- The run whose siege of the whole work is over. Empty: there was none.
ALTER TABLE steps ADD COLUMN besieged TEXT NOT NULL DEFAULT '';
