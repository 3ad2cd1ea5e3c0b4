/**
 * A dataset is older than its contract expects.
 *
 * Reads `datasets[]`: `unverifiable`, `expectedAsOf`, `actualAsOf`. Absent `datasets`: not measured. No due dataset:
 * nothing to judge. `unverifiable` with a code: another rule reports each; where that holds for every due dataset,
 * unknown. `unverifiable` null and a date null: it should be verifiable and is not, unknown. Dates as text sort by
 * time.
 */
import { finding, type Rule } from './rule.ts';
import { NOTHING_DUE } from './unverifiable-dataset.ts';

export const staleDataset: Rule = {
  id: 'stale-dataset',
  version: 3,
  name: 'verdict.staleDataset.name',
  meaning: 'verdict.staleDataset.good',
  judge: ({ datasets }) => {
    if (datasets === undefined) return { absent: '/datasets' };
    const judged = datasets.flatMap((dataset, index) =>
      dataset.unverifiable === null ? [{ ...dataset, at: `/datasets/${index}` }] : [],
    );
    const coded = datasets.flatMap(({ unverifiable: code }, index) =>
      code === null || code === NOTHING_DUE ? [] : [`/datasets/${index}/unverifiable`],
    );
    return {
      read: ['/datasets'],
      judged: judged.length,
      findings: judged.flatMap(({ id, expectedAsOf, actualAsOf, at }) =>
        expectedAsOf !== null && actualAsOf !== null && actualAsOf < expectedAsOf
          ? [
              finding(
                'BAD',
                'verdict.staleDataset.stale',
                { dataset: id, expected: expectedAsOf, actual: actualAsOf },
                `${at}/expectedAsOf`,
                `${at}/actualAsOf`,
              ),
            ]
          : [],
      ),
      unseen: [
        ...(judged.length === 0 ? coded : []),
        ...judged.flatMap(({ expectedAsOf, actualAsOf, at }) => [
          ...(expectedAsOf === null ? [`${at}/expectedAsOf`] : []),
          ...(actualAsOf === null ? [`${at}/actualAsOf`] : []),
        ]),
      ],
    };
  },
};
