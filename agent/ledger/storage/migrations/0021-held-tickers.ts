/** Tickers of which nothing is shown while a rebuild sets their explanations right, however it ends. */
export const sql = `
CREATE TABLE held_ticker (
  etf_ticker TEXT PRIMARY KEY
) STRICT, WITHOUT ROWID;
`;
