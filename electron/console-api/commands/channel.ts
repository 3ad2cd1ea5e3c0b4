/**
 * `npm run console-api -- channel …`: the tenant's channels and their keys for the provision API (D20, D57). Runs on
 * the ledger's host, also while the services run: each change counts from the next request on.
 */
import { randomBytes } from 'node:crypto';
import { ChannelError, closeChannel, openChannel, replaceChannelKey } from '../../../agent/ledger/serving/channels.ts';
import { captureDecisions } from '../../../agent/ledger/journal/journal.ts';
import { LedgerError } from '../../../agent/ledger/storage/errors.ts';
import { openLedger, type LedgerTransaction } from '../../../agent/ledger/storage/ledger.ts';
import { listChannels } from '../../../agent/ledger/serving/scope.ts';
import type { CommandParts } from './audit.ts';

export const CHANNEL_HELP = `Channels (CAUSEWAY_LEDGER names the ledger's file):
  channel add NAME      makes a channel and prints its key, this once
  channel key NAME      gives it another key; the one before counts no longer
  channel remove NAME   its key counts no longer; what it was given stays on record
  channel list          which there are, and which of them are in the serving scope
`;

/** 256 bits, as text for a header. */
const newKey = (): string => randomBytes(32).toString('base64url');

/** More than any firm has. */
const ALL = { page: 1, size: 1_000 };

/** @returns the exit code: 0 done, 1 not done, 2 for wrong usage */
export function runChannelCommand(args: readonly string[], parts: CommandParts): 0 | 1 | 2 {
  const [command, name, ...more] = args;
  const channel = name?.normalize('NFC');
  const file = parts.env['CAUSEWAY_LEDGER'] ?? '';
  if (file === '') {
    parts.complain('CAUSEWAY_LEDGER is missing: the file of the ledger.');
    return 2;
  }
  try {
    if (command === 'list' && channel === undefined) return list(file, parts);
    if (channel !== undefined && more.length === 0) {
      const at = parts.clock.now().toISOString();
      if (command === 'add' || command === 'key') {
        const key = newKey();
        write(file, parts, (tx) => (command === 'add' ? openChannel : replaceChannelKey)(tx, { channel, key, at }));
        parts.print(key);
        return 0;
      }
      if (command === 'remove') {
        write(file, parts, (tx) => closeChannel(tx, { channel, at }));
        parts.print(`${channel} is removed.`);
        return 0;
      }
    }
  } catch (error) {
    if (!(error instanceof ChannelError || error instanceof LedgerError)) throw error;
    parts.complain(error.message);
    return 1;
  }
  parts.complain(CHANNEL_HELP);
  return 2;
}

function list(file: string, parts: CommandParts): 0 {
  const ledger = openLedger(file, { create: false, progress: parts.progress });
  try {
    const { rows } = ledger.read((reader) => listChannels(reader, ALL));
    for (const { channel, enabled } of rows) parts.print(`${channel}${enabled ? '' : ' (outside the serving scope)'}`);
    return 0;
  } finally {
    ledger.close();
  }
}

function write(file: string, { progress }: CommandParts, change: (tx: LedgerTransaction) => void): void {
  const ledger = openLedger(file, { create: false, progress });
  try {
    captureDecisions(ledger);
    ledger.write(change);
  } finally {
    ledger.close();
  }
}
