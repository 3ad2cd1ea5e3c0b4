/** `npm run console-api -- demo end`: turns a demo's ledger into a production ledger (D63). */
import { randomBytes } from 'node:crypto';
import { endDemo } from '../../../agent/ledger/demo/close-demo.ts';
import { captureDecisions } from '../../../agent/ledger/journal/journal.ts';
import { LedgerError } from '../../../agent/ledger/storage/errors.ts';
import { openLedger } from '../../../agent/ledger/storage/ledger.ts';
import type { CommandParts } from './audit.ts';

export const DEMO_HELP = `The end of a demo (CAUSEWAY_LEDGER names the ledger's file):
  demo end   gives each account of the demo a new password, prints it, this once, ends its sessions, and revokes the
             demo keys of the channels; "channel key NAME" gives a channel a key of its own
`;

/** @returns the exit code: 0 done, 1 not done, 2 for wrong usage */
export async function runDemoCommand(args: readonly string[], parts: CommandParts): Promise<0 | 1 | 2> {
  const file = parts.env['CAUSEWAY_LEDGER'] ?? '';
  if (args.length !== 1 || args[0] !== 'end') {
    parts.complain(DEMO_HELP);
    return 2;
  }
  if (file === '') {
    parts.complain('CAUSEWAY_LEDGER is missing: the file of the ledger.');
    return 2;
  }
  try {
    const ledger = openLedger(file, { create: false, progress: parts.progress });
    try {
      captureDecisions(ledger);
      const { passwords, channels } = await endDemo(ledger, {
        at: parts.clock.now().toISOString(),
        newPassword: () => randomBytes(15).toString('base64url'),
        newKey: () => randomBytes(32).toString('base64url'),
      });
      for (const { username, password } of passwords) parts.print(`${username} ${password}`);
      if (passwords.length > 0) parts.print('Hand each password to its person, who sets their own under their name.');
      if (channels.length > 0) parts.print(`Revoked: the demo keys of ${channels.join(', ')}.`);
      if (passwords.length === 0 && channels.length === 0) parts.print('Nothing of a demo is open in this ledger.');
      return 0;
    } finally {
      ledger.close();
    }
  } catch (error) {
    if (!(error instanceof LedgerError)) throw error;
    parts.complain(error.message);
    return 1;
  }
}
