/** A policy may hold back suspect returns (D226): the lists find them as they find the other checks. */
const CONDITION = `WHERE instr(failed_checks, '"OBSERVED_RETURN"') > 0`;

export const sql = `
CREATE INDEX explanation_observed_return_waiting ON explanation (status, status_since, id) ${CONDITION};
CREATE INDEX explanation_observed_return_by_status ON explanation
  (status, trade_date DESC, explanation_as_of DESC, id) ${CONDITION};
CREATE INDEX explanation_observed_return_by_ticker ON explanation
  (etf_ticker, trade_date DESC, explanation_as_of DESC, id, status) ${CONDITION};
`;
