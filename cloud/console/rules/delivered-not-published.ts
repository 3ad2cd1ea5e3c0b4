/**
 * A tenant holds a text that is no longer published, without a withdrawal.
 *
 * Reads `boundary`: `deliveryNowNonpublished`, `deliveryRows`, which are current values for any viewed day. Absent
 * `boundary`: not measured. `deliveryRows` 0: nothing was sent yet, so there is nothing to judge. 0 of some: every
 * withdrawal was issued.
 */
import { finding, type Rule } from './rule.ts';

export const deliveredNotPublished: Rule = {
  id: 'delivered-not-published',
  version: 2,
  name: 'verdict.deliveredNotPublished.name',
  meaning: 'verdict.deliveredNotPublished.good',
  judge: ({ boundary }) => {
    if (boundary === undefined) return { absent: '/boundary' };
    const read = ['/boundary/deliveryNowNonpublished', '/boundary/deliveryRows'];
    const count = boundary.deliveryNowNonpublished;
    return {
      read,
      judged: boundary.deliveryRows,
      findings: count > 0 ? [finding('BAD', 'verdict.deliveredNotPublished.some', { count }, ...read)] : [],
      unseen: [],
      nothingSays: 'verdict.deliveredNotPublished.nothingSent',
    };
  },
};
