/**
 * An ETF fired and has no outcome, or its run ended without one.
 *
 * Reads `etfLedger.rows[]`: `triggered`, `outcome`. Absent `etfLedger`: not measured. No ETF fired: nothing to judge. `outcome` null:
 * there is no run yet, a warning and no failure. PENDING and RUNNING: under way, well. A word that is not known: unknown.
 */
import { finding, type Finding, type Rule } from './rule.ts';
import { ledgerCourse } from './reading/statuses.ts';

export const etfWithoutOutcome: Rule = {
  id: 'etf-without-outcome',
  version: 3,
  name: 'verdict.etfWithoutOutcome.name',
  meaning: 'verdict.etfWithoutOutcome.good',
  judge: ({ etfLedger }) => {
    if (etfLedger === undefined) return { absent: '/etfLedger' };
    const findings: Finding[] = [];
    const unseen: string[] = [];
    for (const [index, { etf, name, triggered, outcome }] of etfLedger.rows.entries()) {
      const at = `/etfLedger/rows/${index}`;
      const read = [`${at}/triggered`, `${at}/outcome`];
      if (!triggered) continue;
      if (outcome === null) {
        findings.push(finding('WARNING', 'verdict.etfWithoutOutcome.none', { etf, name }, ...read));
        continue;
      }
      const course = ledgerCourse(outcome);
      if (course === 'FAILED')
        findings.push(finding('BAD', 'verdict.etfWithoutOutcome.ended', { etf, name, outcome }, ...read));
      if (course === null) unseen.push(`${at}/outcome`);
    }
    const judged = etfLedger.rows.filter(({ triggered }) => triggered).length;
    return { read: ['/etfLedger/rows'], judged, findings, unseen };
  },
};
