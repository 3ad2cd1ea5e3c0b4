/**
 * An output is far from its usual value: nothing where something is usual, less than half, or more than twice.
 *
 * Reads `outputs[]`: `today`, `base`. Absent `outputs`: not measured. Empty: nothing was counted. `base` null: there is no
 * usual value, unknown, and never a fall of 100 %. `base` 0: usually nothing, so only something is unusual. `today` 0 is a
 * count.
 */
import { finding, type Finding, type Rule } from './rule.ts';

const LEAST = 0.5;
const MOST = 2;

export const outputUnusual: Rule = {
  id: 'output-unusual',
  version: 1,
  meaning: 'verdict.outputUnusual.good',
  judge: ({ outputs }) => {
    if (outputs === undefined) return { absent: '/outputs' };
    const findings: Finding[] = [];
    const unseen: string[] = [];
    for (const [index, { id, today, base }] of outputs.entries()) {
      const at = `/outputs/${index}`;
      if (base === null) unseen.push(`${at}/base`);
      else if (today === 0 && base > 0)
        findings.push(finding('BAD', 'verdict.outputUnusual.none', { output: id, base }, `${at}/today`, `${at}/base`));
      else if (today < base * LEAST || today > base * MOST)
        findings.push(
          finding('WARNING', 'verdict.outputUnusual.far', { output: id, today, base }, `${at}/today`, `${at}/base`),
        );
    }
    return { read: ['/outputs'], findings, unseen };
  },
};
