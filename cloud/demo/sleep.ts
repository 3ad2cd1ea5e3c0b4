import { setTimeout as delay } from 'node:timers/promises';

/** Waits, and ends early when the signal is aborted. */
export async function sleep(ms: number, signal: AbortSignal): Promise<void> {
  try {
    await delay(ms, undefined, { signal });
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
