/**
 * Loaded into a part before its entry when systemd starts it (`Type=notify`): notifies systemd when the part is ready,
 * and from then on that its event loop turns. Node has no datagram sockets, so `systemd-notify` sends the messages
 * (NotifyAccess=all).
 */
import { spawn } from 'node:child_process';
import { whenReady } from '../ready.ts';

/** @param state in the format of sd_notify */
function tell(state: string): void {
  const child = spawn('systemd-notify', [state], { stdio: ['ignore', 'ignore', 'inherit'] });
  child.once('error', ({ message }) => process.stderr.write(`systemd was not told ${state}: ${message}\n`));
  child.unref();
}

whenReady(() => {
  tell('READY=1');
  // Three times per watchdog interval, so that one late message does no harm.
  const waitsMs = Number(process.env['WATCHDOG_USEC'] ?? '0') / 1_000;
  if (waitsMs > 0) setInterval(() => tell('WATCHDOG=1'), waitsMs / 3).unref();
});
