/**
 * A dead-letter queue holds messages that no consumer could process.
 *
 * Reads `queues[].dlq`. Absent `queues`: not measured. Null: a queue could not be read, unknown. Empty, or 0: every
 * queue was read and none holds dead letters.
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
      // An empty list means that all queues were read and are empty (D51).
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
