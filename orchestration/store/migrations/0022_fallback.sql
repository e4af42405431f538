-- The program that a person chose for a run, and the one in whose place its session began; and since when an account
-- does not work (0: not known).
ALTER TABLE runs ADD COLUMN start_with TEXT NOT NULL DEFAULT '';
ALTER TABLE runs ADD COLUMN in_place_of TEXT NOT NULL DEFAULT '';
ALTER TABLE holds ADD COLUMN since_at INTEGER NOT NULL DEFAULT 0;
