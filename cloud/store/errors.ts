/** The store's errors, by name. */

/** The store cannot be reached or opened. */
export class StoreUnavailableError extends Error {
  constructor(message: string, cause: unknown) {
    super(message, { cause });
    this.name = 'StoreUnavailableError';
  }
}

/** A 64-bit integer that JSON and JavaScript cannot hold exactly (D3). */
export class InexactIntegerError extends Error {
  constructor(text: string) {
    super(`The store holds the 64-bit integer ${text}, which is beyond 2^53-1 and cannot be carried exactly.`);
    this.name = 'InexactIntegerError';
  }
}

/** The request itself is right: a repetition a little later may succeed. */
export class TransientStoreError extends Error {
  constructor(message: string, cause: unknown) {
    super(message, { cause });
    this.name = 'TransientStoreError';
  }
}

/** Another transaction held a lock for too long. Nothing was written. */
export class LockTimeoutError extends TransientStoreError {
  constructor(message: string, cause: unknown) {
    super(message, cause);
    this.name = 'LockTimeoutError';
  }
}

/**
 * The connection broke during a statement. A transaction whose COMMIT was under way may have been committed or not: the
 * caller must find out by an id of its own before a retry.
 */
export class ConnectionLostError extends TransientStoreError {
  constructor(cause: unknown) {
    super(
      isFull(cause)
        ? `The database takes no more connections (${messageOf(cause)}): end others, or raise its limit (max_connections, or that of the role), and try again.`
        : 'The connection to the database was lost before it answered; try again.',
      cause,
    );
    this.name = 'ConnectionLostError';
  }
}

/** The database answers and takes no writes: a replica after a failover, or out of space. Nothing was written. */
export class StoreTakesNoWritesError extends TransientStoreError {
  constructor(cause: unknown) {
    super(
      `The database takes no writes now (${messageOf(cause)}); nothing was written. See that it is the primary and has space, and try again.`,
      cause,
    );
    this.name = 'StoreTakesNoWritesError';
  }
}

/** The SQLSTATE of an error that came from the database, else null. */
export function sqlState(error: unknown): string | null {
  const code = codeOf(error);
  return code !== null && /^[0-9A-Z]{5}$/.test(code) && !SYSTEM_CODES.has(code) ? code : null;
}

/** The result of the work; an error of those above is thrown by its name. */
export async function named<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw nameOf(error);
  }
}

/** The named error for a known one; any other error unchanged. */
export function nameOf(error: unknown): unknown {
  if (error instanceof TransientStoreError) return error;
  const state = sqlState(error);
  if (state === LOCK_NOT_AVAILABLE) {
    return new LockTimeoutError(
      'Another transaction held a lock that this one needs for too long; nothing was written, try again.',
      error,
    );
  }
  if (state !== null && NO_WRITES.has(state)) return new StoreTakesNoWritesError(error);
  return isConnectionLoss(error, state) ? new ConnectionLostError(error) : error;
}

/** Whether the server has reached a limit of connections. */
export const isFull = (error: unknown): boolean => sqlState(error) === TOO_MANY_CONNECTIONS;

const TOO_MANY_CONNECTIONS = '53300';
const LOCK_NOT_AVAILABLE = '55P03';
/** A read-only transaction, no space on the disk, no memory. */
const NO_WRITES = new Set(['25006', '53100', '53200']);
/**
 * Shutdown, crash, start-up, terminated for idling (in a transaction), too many: the server has closed the connection.
 */
const CLOSED_BY_SERVER = new Set(['57P01', '57P02', '57P03', '57P05', '25P03', TOO_MANY_CONNECTIONS]);
const SYSTEM_CODES = new Set(['EPIPE']);
const NETWORK_CODES = new Set([
  ...SYSTEM_CODES,
  'ECONNRESET',
  'ECONNREFUSED',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENOTFOUND',
]);

/** Whether no server answers there. */
export function isUnreachable(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.some(isUnreachable);
  return isConnectionLoss(error, sqlState(error));
}

function isConnectionLoss(error: unknown, state: string | null): boolean {
  if (state !== null) return CLOSED_BY_SERVER.has(state) || state.startsWith('08');
  if (NETWORK_CODES.has(codeOf(error) ?? '')) return true;
  // The driver's own words: it has no codes for these.
  return (
    error instanceof Error &&
    /^Connection terminated|^Query read timeout$|is not queryable$|timeout exceeded when trying to connect/.test(
      error.message,
    )
  );
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function codeOf(error: unknown): string | null {
  return typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string'
    ? error.code
    : null;
}
