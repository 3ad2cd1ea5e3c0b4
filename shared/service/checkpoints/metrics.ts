/** The checkpoints of an audit log as numbers, so that the monitoring keeps a record of the log's length. */
import type { CheckpointState } from './schedule.ts';

/** The leading digits of a hash that a number holds exactly. */
const HASH_DIGITS = 12;

export interface CheckpointNumber {
  name: string;
  help: string;
  /** @param state null where no checkpoints are written */
  value(state: CheckpointState | null): number;
}

/** The metrics of each side for Prometheus, with a prefix of its own before the names. */
export const CHECKPOINT_NUMBERS: readonly CheckpointNumber[] = [
  {
    name: 'configured',
    help: 'Whether signed checkpoints of the audit log are written; 0: no folder was given.',
    value: (state) => (state === null ? 0 : 1),
  },
  {
    name: 'last_seconds',
    help: 'When the last checkpoint was written, Unix time; 0: none since the start.',
    value: (state) => (state === null || state.lastAt === null ? 0 : Date.parse(state.lastAt) / 1_000),
  },
  {
    name: 'rows',
    help: 'The row of the audit log that the last checkpoint signs; 0: none since the start.',
    value: (state) => state?.rows ?? 0,
  },
  {
    name: 'hash',
    help: `The first ${HASH_DIGITS} hexadecimal digits of that row's hash, as a number.`,
    value: (state) =>
      state === null || state.hash === null ? 0 : Number.parseInt(state.hash.slice(0, HASH_DIGITS), 16),
  },
  {
    name: 'failing',
    help: 'Whether the last checkpoint could not be written.',
    value: (state) => (state === null || state.failingSince === null ? 0 : 1),
  },
  {
    name: 'differs',
    help: 'Whether the audit log is not what an earlier checkpoint signed; a restart looks again.',
    value: (state) => (state === null || state.difference === null ? 0 : 1),
  },
];
