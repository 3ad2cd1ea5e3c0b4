/** The words of the ledger and of the control plane, as far as rules know them. Another word is unknown, never good. */
type Course = 'GOING' | 'SUCCEEDED' | 'FAILED';

/** Skipped on purpose: there was nothing to do, and nothing was started. */
export const SKIPPED = 'SKIPPED';

const LEDGER: Readonly<Record<string, Course>> = {
  PENDING: 'GOING',
  RUNNING: 'GOING',
  SUCCEEDED: 'SUCCEEDED',
  [SKIPPED]: 'SUCCEEDED',
  FAILED: 'FAILED',
  CANCELLED: 'FAILED',
  TIMED_OUT: 'FAILED',
};
const CLOUD: Readonly<Record<string, Course>> = {
  RUNNING: 'GOING',
  PENDING_REDRIVE: 'GOING',
  SUCCEEDED: 'SUCCEEDED',
  FAILED: 'FAILED',
  TIMED_OUT: 'FAILED',
  ABORTED: 'FAILED',
};

const courseIn = (words: Readonly<Record<string, Course>>, word: string | null): Course | null =>
  word !== null && Object.hasOwn(words, word) ? (words[word] ?? null) : null;

export const ledgerCourse = (word: string | null): Course | null => courseIn(LEDGER, word);
export const cloudCourse = (word: string | null): Course | null => courseIn(CLOUD, word);

/** Null: the word is not known. */
export function isOver(ledgerStatus: string | null): boolean | null {
  const course = ledgerCourse(ledgerStatus);
  return course === null ? null : course !== 'GOING';
}
