/**
 * A tenant holds something that is not published any more and was not told so.
 *
 * Reads `boundary`: `deliveryNowNonpublished`, `deliveryRows`, which are of now, whatever day is viewed. Absent `boundary`: not
 * measured. `deliveryRows` 0: nothing was sent yet, so there is nothing to judge. 0 of some: every withdrawal arrived.
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
