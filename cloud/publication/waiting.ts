/** Names what a transaction waited for when another one kept it for too long. */
import { LockTimeoutError, sqlState } from '../store/errors.ts';

/** @param what as the middle of a sentence: "the firing trg-1" @throws LockTimeoutError */
export async function waitingFor<T>(what: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (sqlState(error) !== '55P03') throw error;
    throw new LockTimeoutError(`Another transaction held ${what} for too long; nothing was written, try again.`, error);
  }
}
