/** One JSON line per event on stdout, in the same shape as the services' logs, for supervisors and tests. */
import type { Clock } from '../../../shared/time/clock.ts';

export type LogFields = Record<string, string | number | boolean | null | undefined>;

export interface Log {
  info(msg: string, fields?: LogFields): void;
  warn(msg: string, fields?: LogFields): void;
  error(msg: string, fields?: LogFields): void;
}

/** The services' level numbers. */
const LEVELS = { info: 30, warn: 40, error: 50 } as const;

/** A log that passes each line, with its line break, to `write`. */
export function jsonLog(write: (line: string) => void, clock: Clock, pid: number): Log {
  const line = (level: keyof typeof LEVELS, msg: string, fields: LogFields = {}): void => {
    write(
      `${JSON.stringify({ level: LEVELS[level], time: clock.now().getTime(), pid, part: 'console', ...fields, msg })}\n`,
    );
  };
  return {
    info: (msg, fields) => line('info', msg, fields),
    warn: (msg, fields) => line('warn', msg, fields),
    error: (msg, fields) => line('error', msg, fields),
  };
}
