/** The trigrams of the search index, so that a term shorter than three characters finds those that it begins. */
export const sql = `
CREATE VIRTUAL TABLE explanation_term USING fts5vocab('explanation_search', 'row');
`;
