/**
 * Messages that nobody could process lie in a dead-letter queue.
 *
 * Reads `queues[].dlq`. Absent `queues`: not measured. Null: a queue could not be seen, unknown. Empty, or 0: every queue was
 * seen and none holds dead letters.
 */
import { finding, type Rule } from './rule.ts';

export const deadLetters: Rule = {
  id: 'dead-letters',
  version: 1,
  name: 'verdict.deadLetters.name',
  meaning: 'verdict.deadLetters.good',
  judge: ({ queues }) => {
    if (queues === undefined) return { absent: '/queues' };
    if (queues === null) return { read: ['/queues'], judged: 0, findings: [], unseen: ['/queues'] };
    return {
      read: ['/queues'],
      // A list without queues is of queues that were seen and hold nothing (D51).
      judged: 1,
      findings: queues.flatMap(({ name, dlq }, index) =>
        dlq > 0
          ? [finding('BAD', 'verdict.deadLetters.some', { queue: name, count: dlq }, `/queues/${index}/dlq`)]
          : [],
      ),
      unseen: [],
    };
  },
};
