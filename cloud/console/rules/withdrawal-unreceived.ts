/**
 * A withdrawal was issued, and a tenant has not received it: its customers may still see the withdrawn text.
 *
 * Reads `withdrawals`: `everIssued`, and of `analyses.items[]` `waiting` and `overdue`, which are current values for
 * any viewed day. Absent `withdrawals`: not measured. No withdrawal so far: nothing to judge. It waits within twice the
 * polling period of each tenant that has the text: a warning; beyond that of one: bad (D133). A tenant that never connected has
 * nothing to lose, and is not among them (D225).
 */
import { finding, type Rule } from './rule.ts';

export const withdrawalUnreceived: Rule = {
  id: 'withdrawal-unreceived',
  version: 2,
  name: 'verdict.withdrawalUnreceived.name',
  meaning: 'verdict.withdrawalUnreceived.good',
  judge: ({ withdrawals }) => {
    if (withdrawals === undefined) return { absent: '/withdrawals' };
    return {
      read: ['/withdrawals'],
      judged: withdrawals.everIssued ? 1 : 0,
      findings: withdrawals.analyses.items.map(({ id, ticker, instrumentName, waiting, overdue }, index) => {
        const at = `/withdrawals/analyses/items/${index}`;
        const about = { analysis: id, etf: ticker, name: instrumentName };
        const read = [`${at}/waiting`, `${at}/overdue`, `${at}/issuedAt`];
        return overdue > 0
          ? finding('BAD', 'verdict.withdrawalUnreceived.late', { ...about, count: overdue }, ...read)
          : finding('WARNING', 'verdict.withdrawalUnreceived.waiting', { ...about, count: waiting }, ...read);
      }),
      unseen: [],
      nothingSays: 'verdict.withdrawalUnreceived.none',
    };
  },
};
