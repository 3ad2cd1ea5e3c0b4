/**
 * The full-text index without white space, and with the titles of the evidence (D214): `KODEX200` finds `KODEX 200`.
 * The rows that were indexed are indexed anew.
 */

/** Tab, line ends, space, no-break space, zero-width space and ideographic space. */
const SPACES = [9, 10, 13, 32, 0xa0, 0x20_0b, 0x30_00];
/** Two marks end every searched text, so that a term of one or two characters begins a trigram at its end too. */
const MARKS = 'char(2, 2)';
const COLUMNS = 'texts, evidence_titles';

const folded = (text: string): string => SPACES.reduce((sql, code) => `replace(${sql}, char(${code}), '')`, text);

/**
 * The searched texts of a row, folded together: that costs less than each apart. A text that is shown as it came stands
 * there once. Evidence that is no list of objects has no title.
 */
function indexed(row: string): string {
  const shown = `CASE WHEN ${row}published_summary <> ${row}summary THEN ${row}published_summary || ${MARKS} ELSE '' END`;
  const texts = [...['etf_ticker', 'etf_name', 'summary'].map((one) => `${row}${one} || ${MARKS}`), shown].join(' || ');
  const titles = `(SELECT group_concat(atom || ${MARKS}, '')
    FROM json_tree(CASE WHEN json_valid(${row}evidences) THEN ${row}evidences ELSE '[]' END)
    WHERE key = 'title' AND path GLOB '$[[]*[]]' AND path NOT GLOB '*.*')`;
  return [`${row}number`, folded(texts), folded(titles)].join(', ');
}

const IS_INDEXED = 'OLD.number <= (SELECT indexed_to FROM search_progress)';

export const sql = `
DROP TRIGGER explanation_is_searched_anew;
DROP TRIGGER explanation_is_searched_no_more;
DROP TABLE explanation_term;
DROP TABLE explanation_search;
DROP VIEW explanation_text;
CREATE VIEW explanation_text (number, ${COLUMNS}) AS SELECT ${indexed('')} FROM explanation;
CREATE VIRTUAL TABLE explanation_search USING fts5(
  ${COLUMNS},
  content='explanation_text', content_rowid='number', tokenize='trigram', columnsize=0);
-- The trigrams of the index, so that a term shorter than three characters finds those that it begins.
CREATE VIRTUAL TABLE explanation_term USING fts5vocab('explanation_search', 'row');
INSERT INTO explanation_search (rowid, ${COLUMNS})
  SELECT number, ${COLUMNS} FROM explanation_text WHERE number <= (SELECT indexed_to FROM search_progress);
CREATE TRIGGER explanation_is_searched_anew
AFTER UPDATE OF etf_ticker, etf_name, summary, published_summary, evidences ON explanation
WHEN ${IS_INDEXED}
  AND (OLD.etf_ticker, OLD.etf_name, OLD.summary, OLD.published_summary, OLD.evidences)
  IS NOT (NEW.etf_ticker, NEW.etf_name, NEW.summary, NEW.published_summary, NEW.evidences)
BEGIN
  INSERT INTO explanation_search (explanation_search, rowid, ${COLUMNS}) VALUES ('delete', ${indexed('OLD.')});
  INSERT INTO explanation_search (rowid, ${COLUMNS}) VALUES (${indexed('NEW.')});
END;
CREATE TRIGGER explanation_is_searched_no_more AFTER DELETE ON explanation
WHEN ${IS_INDEXED}
BEGIN
  INSERT INTO explanation_search (explanation_search, rowid, ${COLUMNS}) VALUES ('delete', ${indexed('OLD.')});
END;
`;
