/**
 * Loaded into the console API before its entry. Standard input is a pipe from the program: when it closes, because the
 * program requests the end or is gone, the service ends as on SIGTERM. This also works without signals, on Windows.
 */
process.stdin.resume();
process.stdin.once('close', () => {
  // What a start has opened by then survives a kill; an orderly exit from its middle may never end (`endProcess`).
  if (!process.emit('SIGTERM', 'SIGTERM')) process.kill(process.pid, 'SIGTERM');
});
// The pipe alone must not keep the service alive.
process.stdin.unref();
