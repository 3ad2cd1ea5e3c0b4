/** The tenant's channels and their keys (D20, D57). A key is random and long, so its SHA-256 is enough to keep. */
import { createHash } from 'node:crypto';
import { sqlite, type LedgerReader, type LedgerTransaction } from './ledger.ts';

function hashKey(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}

export function addChannel(tx: LedgerTransaction, channel: { channel: string; key: string; at: string }): void {
  tx.run(
    sqlite
      .insertInto('channel')
      .values({ channel: channel.channel, key_hash: hashKey(channel.key), created_at: channel.at }),
  );
}

/** The channel of a key, or undefined for a key that nobody has. */
export function channelOfKey(reader: LedgerReader, key: string): string | undefined {
  return reader.first(sqlite.selectFrom('channel').select('channel').where('key_hash', '=', hashKey(key)))?.channel;
}
