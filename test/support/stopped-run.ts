/**
 * Aborted by the first Ctrl-C or SIGTERM, so that a long run ends what it has begun and leaves nothing behind; the second
 * one ends the process.
 */
export function stopOfARun(): AbortSignal {
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
  return stop.signal;
}
