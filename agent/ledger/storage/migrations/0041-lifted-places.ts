/** An entry asks for the lifts of its place: without this index it reads every text of its ticker. */
export const sql = `
CREATE INDEX explanation_lifted ON explanation (etf_ticker, lifted_to, lift) WHERE lifted_to IS NOT NULL;
`;
