/**
 * Loaded into a part before its entry where systemd starts it (`Type=notify`): tells systemd when the part is ready, and
 * from then on that its event loop turns. Node has no datagram sockets, so `systemd-notify` says it (NotifyAccess=all).
 */
import { spawn } from 'node:child_process';
import { whenReady } from '../ready.ts';

/** @param state as sd_notify has it */
function tell(state: string): void {
  const child = spawn('systemd-notify', [state], { stdio: ['ignore', 'ignore', 'inherit'] });
  child.once('error', ({ message }) => process.stderr.write(`systemd was not told ${state}: ${message}\n`));
  child.unref();
}

whenReady(() => {
  tell('READY=1');
  // Three times in the time that systemd waits, so that one that comes late is no end.
  const waitsMs = Number(process.env['WATCHDOG_USEC'] ?? '0') / 1_000;
  if (waitsMs > 0) setInterval(() => tell('WATCHDOG=1'), waitsMs / 3).unref();
});
