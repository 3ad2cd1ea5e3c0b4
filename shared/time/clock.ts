/** The source of time. All code that reads the time takes a clock, so that tests set it. */
export interface Clock {
  /** Now, as an instant. */
  now(): Date;
}

export const systemClock: Clock = { now: () => new Date() };

/** The source of ids. Tests give a counter. */
export interface Ids {
  /** A new UUID. */
  uuid(): string;
}

export const systemIds: Ids = { uuid: () => globalThis.crypto.randomUUID() };
