/**
 * Many more messages wait than before: half as many again, and five at least. Smaller changes are normal in quiet
 * times.
 *
 * Reads `queues[].visible` and `meta.db`, now and in the earlier facts. Queues hold current values for any viewed day:
 * so earlier facts count only when they were read at least a minute before. Absent `queues`, or no earlier facts that
 * count: not measured. Null on either side: unknown. An unlisted queue holds no message: 0. Not many more than before:
 * well.
 */
import { finding, type ReadFacts, type Rule } from './rule.ts';

/** A shorter interval shows messages in transit, not a backlog. */
const LEAST_APART_MS = 60_000;

/** Whether the second reading came late enough after the first to show a growing backlog. */
export const areApart = (first: ReadFacts, second: ReadFacts): boolean =>
  Date.parse(second.meta.db) - Date.parse(first.meta.db) >= LEAST_APART_MS;

const MORE = 1.5;
const LEAST_MORE = 5;

export const backlogGrowing: Rule = {
  id: 'backlog-growing',
  version: 3,
  name: 'verdict.backlogGrowing.name',
  meaning: 'verdict.backlogGrowing.good',
  judge: (facts, previous) => {
    const { queues } = facts;
    if (queues === undefined) return { absent: '/queues' };
    if (previous?.queues === undefined || !areApart(previous, facts))
      return { absent: 'previous/queues', sentence: { id: 'verdict.backlogGrowing.noEarlier', values: {} } };
    const before = previous.queues;
    const unseen = [...(queues === null ? ['/queues'] : []), ...(before === null ? ['previous/queues'] : [])];
    const read = ['/queues', 'previous/queues'];
    if (queues === null || before === null) return { read, judged: 0, findings: [], unseen };
    return {
      read,
      judged: 1,
      findings: queues.flatMap(({ name, visible }, index) => {
        const place = before.findIndex((one) => one.name === name);
        const earlier = before[place]?.visible ?? 0;
        return visible < earlier * MORE || visible - earlier < LEAST_MORE
          ? []
          : [
              finding(
                'WARNING',
                'verdict.backlogGrowing.grows',
                { queue: name, before: earlier, now: visible },
                `/queues/${index}/visible`,
                place === -1 ? 'previous/queues' : `previous/queues/${place}/visible`,
              ),
            ];
      }),
      unseen,
    };
  },
};
