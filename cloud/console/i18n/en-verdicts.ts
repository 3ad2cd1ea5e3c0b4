/** The sentences of the rules' verdicts. */
import type { VerdictMessageId } from './ko-verdicts.ts';

export const enVerdicts: Readonly<Record<VerdictMessageId, string>> = {
  'verdict.absent': 'Not measured: this answer has no {fact}.',
  'verdict.nothing': 'Nothing to judge.',
  'verdict.unseen': 'Could not be seen: {count, plural, one {# value} other {# values}} cannot be judged.',

  'verdict.runLate.name': 'Late run',
  'verdict.runLate.good': 'Every planned run is there, and none has passed its deadline.',
  'verdict.runLate.missing': '{run}: planned, and there is no run.',
  'verdict.runLate.overdue': '{run}: the deadline has passed, and it is not over.',
  'verdict.runLate.late': '{run}: ended after its deadline.',

  'verdict.runFailed.name': 'Failed run',
  'verdict.runFailed.good': 'No run ended without success.',
  'verdict.runFailed.failed': '{run} {status, select, TIMED_OUT {timed out} CANCELLED {was cancelled} other {failed}}.',

  'verdict.runFailed.task':
    '{slot} of {lane} {status, select, TIMED_OUT {timed out} CANCELLED {was cancelled} other {failed}}: {task}, {reason, select, NONE {no reason on record} other {{reason}}}{more, plural, =0 {} one { and # more task} other { and # more tasks}}',
  'verdict.runFailed.unfinished':
    '{slot} of {lane} {status, select, TIMED_OUT {timed out} CANCELLED {was cancelled} other {failed}}: {task} did not finish.',
  'verdict.runFailed.untried':
    '{slot} of {lane} {status, select, TIMED_OUT {timed out} CANCELLED {was cancelled} other {failed}}: {task} never began.',

  'verdict.taskFailed.name': 'Failed task',
  'verdict.taskFailed.good': 'No task failed in a run that went through.',
  'verdict.taskFailed.failed':
    'A task of {slot} of {lane} failed: {task}, {reason, select, NONE {no reason on record} other {{reason}}}',
  'verdict.taskFailed.optional':
    'An optional task of {slot} of {lane} failed: {task}, {reason, select, NONE {no reason on record} other {{reason}}}',

  'verdict.withdrawalUnreceived.name': 'Withdrawal not received',
  'verdict.withdrawalUnreceived.good': 'Every tenant has received the withdrawals issued to it.',
  'verdict.withdrawalUnreceived.none': 'Nothing to judge: no withdrawal has been issued yet.',
  'verdict.withdrawalUnreceived.waiting':
    '{name} ({etf}): withdrawn and not yet received by {count, plural, one {# tenant} other {# tenants}}.',
  'verdict.withdrawalUnreceived.late':
    '{name} ({etf}): withdrawn and not received by {count, plural, one {# tenant} other {# tenants}} after twice the polling period.',

  'verdict.statusMismatch.name': 'Status mismatch',
  'verdict.statusMismatch.good': 'Ledger and control plane agree.',
  'verdict.statusMismatch.differs': '{run}: the ledger says {ledger}, the control plane {cloud}.',

  'verdict.taskIncomplete.name': 'Missing records',
  'verdict.taskIncomplete.good': 'No record is missing or has failed.',
  'verdict.taskIncomplete.failed': '{run} · {dataset}: {failed, plural, one {# record} other {# records}} failed.',
  'verdict.taskIncomplete.short':
    '{run} · {dataset}: {actual, number} of {expected, number} came, unsupported ones included.',
  'verdict.taskIncomplete.noSignal':
    'Could not be seen: the ledger gave no signal for {count, plural, one {# value} other {# values}}.',

  'verdict.retriesUnusual.name': 'Unusual retries',
  'verdict.retriesUnusual.good': 'No task needed more attempts than usual.',
  'verdict.retriesUnusual.more': '{run} · {dataset}: {attempts} attempts, more than {usual}.',

  'verdict.staleDataset.name': 'Stale dataset',
  'verdict.staleDataset.good': 'Every dataset that can be judged is as of the day that it should be.',
  'verdict.staleDataset.stale': '{dataset}: should be as of {expected}, and is as of {actual}.',

  'verdict.unverifiableDataset.name': 'Freshness unknown',
  'verdict.unverifiableDataset.good': 'The freshness of every dataset can be judged.',
  'verdict.unverifiableDataset.code': '{dataset}: freshness cannot be judged ({code}).',
  'verdict.unverifiableDataset.noContract':
    'Could not be seen: {count, plural, one {# dataset has} other {# datasets have}} no contract to judge freshness by.',

  'verdict.outputUnusual.name': 'Unusual output',
  'verdict.outputUnusual.good': 'Every output is near its usual value.',
  'verdict.outputUnusual.none': '{output}: none on the day in view, where {base} is usual.',
  'verdict.outputUnusual.far': '{output}: {today} on the day in view, far from the usual {base}.',
  'verdict.outputUnusual.noUsual':
    'Could not be seen: {count, plural, one {# output has} other {# outputs have}} no usual value that fits the day.',

  'verdict.chainBreak.name': 'Broken chain',
  'verdict.chainBreak.good': 'The way from firing to publication does not break off.',
  'verdict.chainBreak.break': '{feed}: {count} came as far as {from}, and none to {to}.',

  'verdict.etfWithoutOutcome.name': 'ETF without outcome',
  'verdict.etfWithoutOutcome.good': 'Every ETF that fired has an outcome or is under way.',
  'verdict.etfWithoutOutcome.none': '{name} ({etf}): fired, and there is no run yet.',
  'verdict.etfWithoutOutcome.ended': '{name} ({etf}): its run has ended: {outcome}.',

  'verdict.publishedNotDelivered.name': 'Published, not issued',
  'verdict.publishedNotDelivered.good': 'Every published result was issued.',
  'verdict.publishedNotDelivered.some':
    '{count, plural, one {# published result was} other {# published results were}} issued to no tenant.',

  'verdict.deliveredNotPublished.name': 'Withdrawal not issued',
  'verdict.deliveredNotPublished.good':
    'Every withdrawn result has a withdrawal for each tenant that it was issued to.',
  'verdict.deliveredNotPublished.some':
    '{count, plural, one {# record} other {# records}} of a result that is no longer published, without a withdrawal.',
  'verdict.deliveredNotPublished.nothingSent': 'Nothing to judge: no record has been issued yet.',

  'verdict.deadLetters.name': 'Dead letters',
  'verdict.deadLetters.good': 'There are no dead letters.',
  'verdict.deadLetters.some': '{queue}: {count, plural, one {# dead letter} other {# dead letters}}.',

  'verdict.backlogGrowing.name': 'Growing backlog',
  'verdict.backlogGrowing.good': 'No backlog grows by much.',
  'verdict.backlogGrowing.noEarlier':
    'Not measured: no look at the queues from at least a minute before to compare with.',
  'verdict.backlogGrowing.grows': '{queue}: {now} wait, where {before} did before.',
};
