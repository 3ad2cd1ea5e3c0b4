/** Indexes of what the check for required notices has held back, like those of the other checks (0012). */
const condition = `WHERE instr(failed_checks, '"REQUIRED_NOTICE"') > 0`;

export const sql = `
CREATE INDEX explanation_required_notice_waiting ON explanation (status, status_since, id) ${condition};
CREATE INDEX explanation_required_notice_by_status
  ON explanation (status, trade_date DESC, explanation_as_of DESC, id) ${condition};
CREATE INDEX explanation_required_notice_by_ticker
  ON explanation (etf_ticker, trade_date DESC, explanation_as_of DESC, id, status) ${condition};
`;
