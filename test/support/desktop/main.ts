/** Shared by the tests of the program's own logic: a schedule advanced by the test, and a log that keeps its lines. */
import type { Log, LogFields } from '../../../electron/main/diagnostics/log.ts';
import type { Schedule } from '../../../electron/main/services/schedule.ts';

interface Due {
  at: number;
  act: () => void;
}

/** Time that advances only on command. */
export class HandSchedule {
  #now = 0;
  #due: Due[] = [];

  readonly schedule: Schedule = (ms, act) => {
    const due = { at: this.#now + ms, act };
    this.#due.push(due);
    return () => {
      this.#due = this.#due.filter((one) => one !== due);
    };
  };

  get waiting(): number {
    return this.#due.length;
  }

  /** Advances by `ms`, running due timers in order. */
  pass(ms: number): void {
    const end = this.#now + ms;
    for (;;) {
      const next = this.#due.filter((one) => one.at <= end).sort((a, b) => a.at - b.at)[0];
      if (next === undefined) break;
      this.#due = this.#due.filter((one) => one !== next);
      this.#now = next.at;
      next.act();
    }
    this.#now = end;
  }
}

export class KeptLog implements Log {
  readonly lines: ({ msg: string } & LogFields)[] = [];
  info = (msg: string, fields: LogFields = {}): void => void this.lines.push({ ...fields, msg });
  warn = this.info;
  error = this.info;

  messages(): string[] {
    return this.lines.map((line) => line.msg);
  }
}
