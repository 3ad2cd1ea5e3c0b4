/**
 * An ETF fired and has no outcome, or its run ended without one.
 *
 * Reads `etfLedger.rows[]`: `triggered`, `outcome`. Absent `etfLedger`: not measured. No rows: no ETF fired. `outcome` null:
 * there is no run yet, a warning and no failure. PENDING and RUNNING: under way, well.
 */
import { finding, type Rule } from './rule.ts';

const WITHOUT = ['FAILED', 'CANCELLED'];

export const etfWithoutOutcome: Rule = {
  id: 'etf-without-outcome',
  version: 1,
  meaning: 'verdict.etfWithoutOutcome.good',
  judge: ({ etfLedger }) => {
    if (etfLedger === undefined) return { absent: '/etfLedger' };
    return {
      read: ['/etfLedger/rows'],
      findings: etfLedger.rows.flatMap(({ etf, name, triggered, outcome }, index) => {
        const read = [`/etfLedger/rows/${index}/triggered`, `/etfLedger/rows/${index}/outcome`];
        if (!triggered) return [];
        if (outcome === null) return [finding('WARNING', 'verdict.etfWithoutOutcome.none', { etf, name }, ...read)];
        return WITHOUT.includes(outcome)
          ? [finding('BAD', 'verdict.etfWithoutOutcome.ended', { etf, name, outcome }, ...read)]
          : [];
      }),
      unseen: [],
    };
  },
};
