/** Where the time comes from. Everything that reads the time takes one, so that tests set it. */
export interface Clock {
  /** Now, as an instant. */
  now(): Date;
}

export const systemClock: Clock = { now: () => new Date() };

/** Where ids come from. Tests give a counter. */
export interface Ids {
  /** A new UUID. */
  uuid(): string;
}

export const systemIds: Ids = { uuid: () => globalThis.crypto.randomUUID() };
