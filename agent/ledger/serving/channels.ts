/** The tenant's channels and their keys (D20, D57). A key is random and long, so its SHA-256 is enough to keep. */
import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import { commandActor, recordAction } from '../audit/audit.ts';
import { recordFact } from './record.ts';
import type { LedgerReader, LedgerTransaction } from '../storage/ledger.ts';
import { prepared, sqlite } from '../storage/query.ts';

/** A channel that already exists, is unknown, or has an invalid name. */
export class ChannelError extends Error {
  override name = 'ChannelError';
}

/** A channel, its key and the moment of its request. */
export interface ChannelKey {
  channel: string;
  key: string;
  at: string;
}

/** Characters that paths, lists and counts can show: letters and digits of any script, and signs that join them. */
const NAME = /^[\p{L}\p{N}][\p{L}\p{N}._-]{0,39}$/u;

export function hashKey(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}

/** Leaves no row in the audit log: for the demo, which no person set up. */
export function addChannel(tx: LedgerTransaction, { channel, key, at }: ChannelKey): void {
  tx.run(sqlite.insertInto('channel').values({ channel, key_hash: hashKey(key), created_at: at }));
  recordFact(tx, at, 'CHANNEL', null, { channel, open: 1 });
}

/** Opens a channel for an administrator. @throws ChannelError */
export function openChannel(tx: LedgerTransaction, opened: ChannelKey): void {
  const { channel } = opened;
  if (!NAME.test(channel)) {
    throw new ChannelError(
      `A channel cannot be called "${channel}": take at most 40 letters, digits, dots, underscores and hyphens, a letter or a digit first.`,
    );
  }
  if (isChannel(tx, channel)) {
    throw new ChannelError(`There is a channel ${channel} already; "channel key ${channel}" gives it another key.`);
  }
  addChannel(tx, opened);
  recordChannel(tx, 'channel.add', opened);
}

/** Replaces the key: the new one is valid from the next request on, the old one no longer. @throws ChannelError */
export function replaceChannelKey(tx: LedgerTransaction, replaced: ChannelKey): void {
  refuseUnknown(tx, replaced.channel);
  tx.run(
    sqlite
      .updateTable('channel')
      .set({ key_hash: hashKey(replaced.key) })
      .where('channel', '=', replaced.channel),
  );
  recordChannel(tx, 'channel.key', replaced);
}

/**
 * Closes a channel: its key is invalid from the next request on; its served texts stay on record. @throws ChannelError
 */
export function closeChannel(tx: LedgerTransaction, closed: Omit<ChannelKey, 'key'>): void {
  refuseUnknown(tx, closed.channel);
  tx.run(sqlite.deleteFrom('channel').where('channel', '=', closed.channel));
  recordFact(tx, closed.at, 'CHANNEL', null, { channel: closed.channel, open: 0 });
  recordChannel(tx, 'channel.remove', closed);
}

/** Every channel, in the order of their names. */
export function channelNames(reader: LedgerReader): string[] {
  return reader.all(sqlite.selectFrom('channel').select('channel').orderBy('channel')).map(({ channel }) => channel);
}

/** The channel of a key; undefined for an unknown key. */
export function channelOfKey(reader: LedgerReader, key: string): string | undefined {
  return reader.first(sqlite.selectFrom('channel').select('channel').where('key_hash', '=', hashKey(key)))?.channel;
}

const served = prepared(
  (hash: string) => sql`SELECT channel FROM channel WHERE key_hash = +${hash} AND NOT EXISTS (
    SELECT 1 FROM serving_scope WHERE scope_type = 'CHANNEL' AND scope_key = channel AND enabled = 0)`,
);

/** Whether a key, as its `hashKey`, is that of a channel that is not switched off. */
export const isServed = (reader: LedgerReader, keyHash: string): boolean => reader.first(served(keyHash)) !== undefined;

/** @throws ChannelError */
function refuseUnknown(reader: LedgerReader, channel: string): void {
  if (!isChannel(reader, channel)) {
    throw new ChannelError(`There is no channel ${channel}; "channel list" lists them.`);
  }
}

function isChannel(reader: LedgerReader, channel: string): boolean {
  return reader.first(sqlite.selectFrom('channel').select('channel').where('channel', '=', channel)) !== undefined;
}

/** Channels are set up by a command on the ledger's host, without a member. */
function recordChannel(tx: LedgerTransaction, action: string, { channel, at }: Omit<ChannelKey, 'key'>): void {
  recordAction(tx, {
    at,
    actor: commandActor(),
    action,
    targetType: 'channel',
    targetId: channel,
    detail: { command: true },
  });
}
