/**
 * As `end-with-parent.ts`, for a part in watch mode: Node's watcher stands between it and the supervisor, and outlives
 * a killed one. The supervisor holds the part's standard input; when that closes, the watcher ends, and with it the
 * part.
 */
process.stdin.on('end', () => process.kill(process.ppid, 'SIGTERM'));
process.stdin.resume();
// Standard input alone must not keep a finished part alive.
if ('unref' in process.stdin) process.stdin.unref();
