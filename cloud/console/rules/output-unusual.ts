/**
 * An output is far from its usual value: none where some are usual, less than half, or more than twice.
 *
 * Reads `outputs[]`: `today`, `base`. Absent `outputs`: not measured. Empty: nothing to judge. `base` null: there is no
 * usual value, unknown, and never a fall of 100 %. `base` 0: usually none, so only some are unusual. `today` 0 is a
 * count. On a day without trading, outputs of the market have no usual value, and the usual values of the others are of
 * trading days (operator API 2, baseline rule 4): a lower count shows nothing, unknown; none at all is a warning there.
 */
import { finding, type Finding, type Rule } from './rule.ts';

const LEAST = 0.5;
const MOST = 2;
/** Outputs that have a usual value on trading days alone. */
const MARKET_BOUND = ['o.pub', 'o.trig'];

export const outputUnusual: Rule = {
  id: 'output-unusual',
  version: 3,
  name: 'verdict.outputUnusual.name',
  meaning: 'verdict.outputUnusual.good',
  judge: ({ outputs }) => {
    if (outputs === undefined) return { absent: '/outputs' };
    const findings: Finding[] = [];
    const unseen: string[] = [];
    const isOfOtherDays = outputs.some(({ id, base }) => MARKET_BOUND.includes(id) && base === null);
    for (const [index, { id, today, base }] of outputs.entries()) {
      const at = `/outputs/${index}`;
      if (base === null) unseen.push(`${at}/base`);
      else if (today === 0 && base > 0)
        findings.push(
          finding(
            isOfOtherDays ? 'WARNING' : 'BAD',
            'verdict.outputUnusual.none',
            { output: id, base },
            `${at}/today`,
            `${at}/base`,
          ),
        );
      else if (isOfOtherDays && today < base * LEAST) unseen.push(`${at}/base`);
      else if (today < base * LEAST || today > base * MOST)
        findings.push(
          finding('WARNING', 'verdict.outputUnusual.far', { output: id, today, base }, `${at}/today`, `${at}/base`),
        );
    }
    return {
      read: ['/outputs'],
      judged: outputs.length,
      findings,
      unseen,
      unseenSays: 'verdict.outputUnusual.noUsual',
    };
  },
};
