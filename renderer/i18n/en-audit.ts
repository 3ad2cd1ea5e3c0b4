import type { koAudit } from './ko-audit.ts';

/** English words of the checkpoints of the audit log. */
export const enAudit: Record<keyof typeof koAudit, string> = {
  'audit.checkpoint': 'Signed checkpoints of the audit log',
  'audit.checkpoint.off':
    'No external location is set, so no checkpoints are kept. The check for tampering alone does not reveal records removed from the end, or a log rewritten as a whole.',
  'audit.checkpoint.none': 'Kept at: {place} · no checkpoint kept yet',
  'audit.checkpoint.last': 'Kept at: {place} · signed up to record {rows, number} · last kept',
  'audit.checkpoint.failing':
    'Checkpoints are not being kept. Ask the system administrator to check the location. Failing since',
  'audit.checkpoint.REMOVED':
    'Records {from, number} to {to, number} are missing; record {to, number} is covered by a signed checkpoint of',
  'audit.checkpoint.RECOMPUTED':
    'Among records {from, number} to {to, number}, at least one has been altered since the checkpoint signed at',
  'audit.checkpoint.OTHER':
    'The log differs from its first record on: it belongs to another ledger, or was rewritten as a whole since the checkpoint signed at',
  'audit.checkpoint.FORKED':
    'The ledger was restored from a backup at record {from, number}. Records {from, number} to {to, number}, signed before, are not in it. Confirm that the restore was authorised. Restored at',
  'timeline.SAME_REGISTRAR': 'Note: both approving accounts were registered by one person within a day',
  'audit.chain.altered':
    '{rows, plural, one {# record is} other {# records are}} intact, but {count, plural, one {# item differs} other {# items differ}} from them.',
  'audit.chain.unjudged':
    'The chain of {rows, plural, one {# record} other {# records}} is unbroken, but {count, plural, one {# item} other {# items}} could not be judged without the record key. This is no finding that nothing was altered: have your system administrator put the key back.',
  'audit.chain.unjudged-too':
    '{count, plural, one {# item} other {# items}} could not be checked without the record key.',
  'altered.title': 'This differs from the audit log: it was changed past this system.',
  'altered.todo': 'Tell your system administrator to check the server that holds the ledger.',
  'altered.LOG': 'Audit log',
  'altered.POLICY': 'Policy version',
  'altered.PROPOSAL': 'Policy proposal',
  'altered.ACCOUNT': 'Account',
  'altered.CHANNEL': 'Channel',
  'altered.SCOPE': 'Serving scope',
  'altered.NOTE': 'Note',
  'altered.SETTING': 'Setting',
  'altered.is.ALTERED': '{what}: changed without a record after record {row, number}',
  'altered.is.GONE': '{what}: gone, though record {row, number} tells of it',
  'altered.is.NO_ROW': '{what}: there without a record',
  'altered.is.COVERED': '{what}: changed without a record before record {row, number}',
  'altered.is.ROW_FORGED': '{what}: record {row, number} was not written by this system',
  'altered.is.UNSEALED': '{what}: records from {row, number} on were written without the record key',
  'altered.policy':
    'No text is provided without a reviewer. {count, plural, one {# text was} other {# texts were}} provided without one under this version.',
  'audit.address': 'Source address',
};
