/**
 * Explanations that come in are counted together, with the indexing (`search-index.ts`), instead of one by one:
 * of a batch most have the same state, day and market. So a row counts from when it is indexed.
 */
export const sql = `
DROP TRIGGER explanation_is_counted;
DROP TRIGGER explanation_is_uncounted;
CREATE TRIGGER explanation_is_uncounted AFTER DELETE ON explanation
WHEN OLD.number <= (SELECT indexed_to FROM search_progress)
BEGIN
  UPDATE explanation_count SET n = n - 1
    WHERE status = OLD.status AND trade_date = OLD.trade_date AND market = coalesce(OLD.market, '');
END;
DROP TRIGGER explanation_is_counted_anew;
CREATE TRIGGER explanation_is_counted_anew AFTER UPDATE OF status, trade_date, market ON explanation
WHEN OLD.number <= (SELECT indexed_to FROM search_progress)
  AND (OLD.status <> NEW.status OR OLD.trade_date <> NEW.trade_date OR OLD.market IS NOT NEW.market)
BEGIN
  UPDATE explanation_count SET n = n - 1
    WHERE status = OLD.status AND trade_date = OLD.trade_date AND market = coalesce(OLD.market, '');
  INSERT INTO explanation_count (status, trade_date, market, n)
    VALUES (NEW.status, NEW.trade_date, coalesce(NEW.market, ''), 1)
    ON CONFLICT DO UPDATE SET n = n + 1;
END;
`;
