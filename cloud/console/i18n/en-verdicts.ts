/** The sentences of the rules' verdicts. */
import type { VerdictMessageId } from './ko-verdicts.ts';

export const enVerdicts: Readonly<Record<VerdictMessageId, string>> = {
  'verdict.absent': 'Not measured: this answer has no {fact}.',
  'verdict.nothing': 'Nothing to judge.',
  'verdict.unseen': 'Could not be checked: {count, plural, one {# value} other {# values}} cannot be judged.',

  'verdict.laneSilent.name': 'Silent lane',
  'verdict.laneSilent.good': 'In every lane with two weeks before to compare with, runs began at the usual hours.',
  'verdict.laneSilent.since': '{silentLane}: silent since {since} KST. At its usual hours a run was due at {usual}.',
  'verdict.laneSilent.ofDay':
    '{silentLane}: silent for the rest of the day after {since} KST. At its usual hours a run was due at {usual}.',
  'verdict.laneSilent.past':
    '{silentLane}: silent from {from} to {until} KST, at its usual hours. Runs have begun again.',
  'verdict.laneSilent.never': '{silentLane}: silent all day. At its usual hours a run was due at {usual} KST.',
  'verdict.laneSilent.unheard':
    'No run on the day, and no two weeks before to compare with: {count, plural, one {# lane} other {# lanes}}.',
  'verdict.laneSilent.noWeeks': 'Nothing to judge: there are no two weeks before to compare with.',
  'verdict.sourceLate.name': 'Late source',
  'verdict.sourceLate.good': 'Every source was collected when it was due.',
  'verdict.sourceLate.due': '{source}: due at {due} KST and not collected, last at {last}.',
  'verdict.sourceLate.rhythm': '{source}: not collected since {last} KST. At its usual hours it was due at {usual}.',
  'verdict.sourceLate.past':
    '{source}: not collected from {from} to {until} KST, at its usual hours. Collection has begun again.',
  'verdict.runLate.name': 'Late run',
  'verdict.runLate.good': 'Every planned run exists, and none is past its deadline.',
  'verdict.runLate.missing': '{run}: planned, but there is no run.',
  'verdict.runLate.passed': '{run}: planned for {time} KST, but there is no run and no issue.',
  'verdict.runLate.overdue': '{run}: past its deadline and not finished.',
  'verdict.runLate.late': '{run}: finished after its deadline.',

  'verdict.runFailed.name': 'Failed run',
  'verdict.runFailed.good': 'No run ended in failure.',
  'verdict.runFailed.failed': '{run} {status, select, TIMED_OUT {timed out} CANCELLED {was cancelled} other {failed}}.',

  'verdict.runFailed.task':
    '{slot} of {lane} {status, select, TIMED_OUT {timed out} CANCELLED {was cancelled} other {failed}}: {task}, {reason, select, NONE {no reason on record} other {{reason}}}{more, plural, =0 {} one { and # more task} other { and # more tasks}}',
  'verdict.runFailed.recovered': '{slot} of {lane} failed at {task} and recovered {time} KST by {by}.',
  'verdict.runFailed.unfinished':
    '{slot} of {lane} {status, select, TIMED_OUT {timed out} CANCELLED {was cancelled} other {failed}}: {task} did not finish.',
  'verdict.runFailed.untried':
    '{slot} of {lane} {status, select, TIMED_OUT {timed out} CANCELLED {was cancelled} other {failed}}: {task} never began.',

  'verdict.taskFailed.name': 'Failed task',
  'verdict.taskFailed.good': 'No task failed in a completed run.',
  'verdict.taskFailed.failed':
    'A task of {slot} of {lane} failed: {task}, {reason, select, NONE {no reason on record} other {{reason}}}',
  'verdict.taskFailed.recovered': '{slot} of {lane}: {task} failed and recovered {time} KST by {by}.',
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
  'verdict.statusMismatch.differs': '{run}: ledger {ledger}, control plane {cloud}.',

  'verdict.taskIncomplete.name': 'Missing records',
  'verdict.taskIncomplete.good': 'No records are missing or failed.',
  'verdict.taskIncomplete.failed': '{run} · {dataset}: {failed, plural, one {# record} other {# records}} failed.',
  'verdict.taskIncomplete.short':
    '{run} · {dataset}: {actual, number} of {expected, number} arrived (unsupported included).',
  'verdict.taskIncomplete.noSignal':
    'Could not be checked: no signal from the ledger for {count, plural, one {# value} other {# values}}.',

  'verdict.retriesUnusual.name': 'Unusual retries',
  'verdict.retriesUnusual.good': 'No task needed more attempts than usual.',
  'verdict.retriesUnusual.more': '{run} · {dataset}: {attempts} attempts (usually {usual}).',

  'verdict.staleDataset.name': 'Stale dataset',
  'verdict.staleDataset.good': 'Every dataset that can be judged is up to date.',
  'verdict.staleDataset.stale': '{dataset}: expected as of {expected}, actually as of {actual}.',

  'verdict.unverifiableDataset.name': 'Freshness unknown',
  'verdict.unverifiableDataset.good': 'The freshness of every dataset can be judged.',
  'verdict.unverifiableDataset.code': '{dataset}: freshness cannot be judged ({code}).',
  'verdict.unverifiableDataset.noContract':
    'Could not be checked: {count, plural, one {# dataset has} other {# datasets have}} no contract to judge freshness by.',

  'verdict.outputUnusual.name': 'Unusual output',
  'verdict.outputUnusual.good': 'Every output is near its usual value.',
  'verdict.outputUnusual.none': '{output}: none on the day viewed, usually {base}.',
  'verdict.outputUnusual.far': '{output}: {today} on the day viewed, far from the usual {base}.',
  'verdict.outputUnusual.noUsual':
    'Could not be checked: {count, plural, one {# output has} other {# outputs have}} no usual value to compare with.',

  'verdict.chainBreak.name': 'Broken chain',
  'verdict.chainBreak.good': 'No stage from firing to publication is broken.',
  'verdict.chainBreak.break': '{feed}: {count} reached {from}, none reached {to}.',

  'verdict.etfWithoutOutcome.name': 'ETF without outcome',
  'verdict.etfWithoutOutcome.good': 'Every ETF that fired has an outcome or is in progress.',
  'verdict.etfWithoutOutcome.none': '{name} ({etf}): fired, but there is no run yet.',
  'verdict.etfWithoutOutcome.ended': '{name} ({etf}): its run has ended: {outcome}.',

  'verdict.publishedNotDelivered.name': 'Published, not issued',
  'verdict.publishedNotDelivered.good': 'Every published result was issued to tenants.',
  'verdict.publishedNotDelivered.some':
    '{count, plural, one {# published result was} other {# published results were}} issued to no tenant.',

  'verdict.deliveredNotPublished.name': 'Withdrawal not issued',
  'verdict.deliveredNotPublished.good': 'Every withdrawn result has a withdrawal for each tenant that was issued it.',
  'verdict.deliveredNotPublished.some':
    '{count, plural, one {# record} other {# records}} of results no longer published, without a withdrawal.',
  'verdict.deliveredNotPublished.nothingSent': 'Nothing to judge: no record has been issued yet.',

  'verdict.deadLetters.name': 'Dead letters',
  'verdict.deadLetters.good': 'No dead letters.',
  'verdict.deadLetters.some': '{queue}: {count, plural, one {# dead letter} other {# dead letters}}.',

  'verdict.backlogGrowing.name': 'Growing backlog',
  'verdict.backlogGrowing.good': 'No backlog has grown much.',
  'verdict.backlogGrowing.noEarlier': 'Not measured: no reading of the queues at least a minute old to compare with.',
  'verdict.backlogGrowing.grows': '{queue}: backlog grew from {before} to {now}.',
};
