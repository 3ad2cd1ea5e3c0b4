/**
 * A dataset's freshness cannot be verified, for the reason in its code.
 *
 * Reads `datasets[].unverifiable`. Absent `datasets`: not measured. No due dataset: nothing to judge. Null: freshness
 * can be judged, well. NOT_APPLICABLE: nothing was due that day. CONTRACT_NOT_APPLIED: no contract applies, unknown.
 * Any other code, the ledger's own words included: a warning that names it.
 */
import { finding, type Rule } from './rule.ts';

/** The code of a dataset of which nothing was due on the day. */
export const NOTHING_DUE = 'NOT_APPLICABLE';
const NO_CONTRACT = 'CONTRACT_NOT_APPLIED';

export const unverifiableDataset: Rule = {
  id: 'unverifiable-dataset',
  version: 2,
  name: 'verdict.unverifiableDataset.name',
  meaning: 'verdict.unverifiableDataset.good',
  judge: ({ datasets }) => {
    if (datasets === undefined) return { absent: '/datasets' };
    const coded = datasets.flatMap(({ id, unverifiable: code }, index) =>
      code === null || code === NOTHING_DUE ? [] : [{ id, code, at: `/datasets/${index}/unverifiable` }],
    );
    return {
      read: ['/datasets'],
      judged: datasets.filter(({ unverifiable }) => unverifiable !== NOTHING_DUE).length,
      findings: coded.flatMap(({ id, code, at }) =>
        code === NO_CONTRACT ? [] : [finding('WARNING', 'verdict.unverifiableDataset.code', { dataset: id, code }, at)],
      ),
      unseen: coded.filter(({ code }) => code === NO_CONTRACT).map(({ at }) => at),
      unseenSays: 'verdict.unverifiableDataset.noContract',
    };
  },
};
