/** In which explanations a screening has found which forbidden word, so that matches are counted without reading every record. */
export const sql = `
CREATE TABLE word_hit (
  word_id        TEXT NOT NULL,
  received_at    TEXT NOT NULL,
  explanation_id TEXT NOT NULL REFERENCES explanation (id),
  PRIMARY KEY (word_id, received_at, explanation_id)
) STRICT, WITHOUT ROWID;
INSERT OR IGNORE INTO word_hit (word_id, received_at, explanation_id)
  SELECT json_extract(hit.value, '$.wordId'), explanation.received_at, explanation.id
  FROM screening JOIN explanation ON explanation.id = screening.explanation_id,
    json_each(screening.checks) AS "check", json_each("check".value, '$.hits') AS hit
  WHERE instr(screening.checks, '"wordId"') > 0;
`;
