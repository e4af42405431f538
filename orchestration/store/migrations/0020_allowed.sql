-- The calls that a run was denied, and the rules that asked and allowed while it lived, as JSON.
-- NULL: none. Of older runs only the names of denied tools are known.
ALTER TABLE runs ADD COLUMN denied_calls TEXT;
ALTER TABLE runs ADD COLUMN ask TEXT;
ALTER TABLE runs ADD COLUMN allow TEXT;

-- What a person allowed in the quest after calls were denied, as JSON. NULL: nothing.
ALTER TABLE quests ADD COLUMN allowances TEXT;
