/**
 * More messages wait than before.
 *
 * Reads `queues[].visible` now and in the earlier facts. Absent `queues`, or nothing earlier to compare with: not measured.
 * Null on either side: unknown. A queue that is not listed holds no message: 0. No more than before: well.
 */
import { finding, type Rule } from './rule.ts';

export const backlogGrowing: Rule = {
  id: 'backlog-growing',
  version: 1,
  meaning: 'verdict.backlogGrowing.good',
  judge: ({ queues }, previous) => {
    if (queues === undefined) return { absent: '/queues' };
    const before = previous?.queues;
    if (before === undefined) return { absent: 'previous/queues' };
    const unseen = [...(queues === null ? ['/queues'] : []), ...(before === null ? ['previous/queues'] : [])];
    const read = ['/queues', 'previous/queues'];
    if (queues === null || before === null) return { read, findings: [], unseen };
    return {
      read,
      findings: queues.flatMap(({ name, visible }, index) => {
        const place = before.findIndex((one) => one.name === name);
        const earlier = before[place]?.visible ?? 0;
        return visible <= earlier
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
