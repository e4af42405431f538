-- Of which commit the evidence of the siege of the whole work is true, as JSON: its run's, or
-- the one where that run began, if it changed nothing. A later commit of the review has
-- changed what was proven. NULL: there was no such siege.
ALTER TABLE steps ADD COLUMN siege_proof TEXT;
UPDATE steps SET siege_proof = (
    SELECT json_patch(
        json_object('run', siege.id, 'commit', iif(siege.commit_id != '', siege.commit_id, siege.from_commit)),
        coalesce((
            SELECT json_object('changed', json('true'), 'changedIn', later.commit_id) FROM runs later
            WHERE later.quest_id = siege.quest_id AND later.line = 'review' AND later.ord > siege.ord AND later.commit_id != ''
            ORDER BY later.ord LIMIT 1), '{}'))
    FROM runs siege WHERE siege.id = steps.besieged)
WHERE besieged != '';
