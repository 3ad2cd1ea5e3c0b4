/**
 * A published result was delivered to no tenant.
 *
 * Reads `boundary.publishedWithoutDelivery`, which is a current value for any viewed day. Absent `boundary`: not
 * measured. 0: every published result was delivered, or there is no tenant to deliver to.
 */
import { finding, type Rule } from './rule.ts';

const AT = '/boundary/publishedWithoutDelivery';

export const publishedNotDelivered: Rule = {
  id: 'published-not-delivered',
  version: 1,
  name: 'verdict.publishedNotDelivered.name',
  meaning: 'verdict.publishedNotDelivered.good',
  judge: ({ boundary }) => {
    if (boundary === undefined) return { absent: '/boundary' };
    const count = boundary.publishedWithoutDelivery;
    return {
      read: [AT],
      judged: 1,
      findings: count > 0 ? [finding('BAD', 'verdict.publishedNotDelivered.some', { count }, AT)] : [],
      unseen: [],
    };
  },
};
