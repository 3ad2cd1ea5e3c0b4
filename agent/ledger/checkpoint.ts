/**
 * A checkpoint of the audit log (D19): how long it was and how it ended, signed, to be kept somewhere else.
 * The chain by itself shows every change but one: rows cut off its end. Held against a checkpoint that
 * shows too.
 */
import { sign, verify, type KeyObject } from 'node:crypto';
import { z } from 'zod';
import { brokenChain, verifyChain } from './audit.ts';
import { sqlite, type LedgerReader } from './ledger.ts';

const checkpointSchema = z.strictObject({
  /** Rows of the log, from the first on. */
  rows: z.int().min(1),
  /** Of the last of them. */
  hash: z.string().regex(/^[0-9a-f]{64}$/),
  at: z.iso.datetime(),
  /** Ed25519 over the three above, base64. */
  signature: z.string(),
});
export type Checkpoint = z.infer<typeof checkpointSchema>;

export class CheckpointError extends Error {
  override name = 'CheckpointError';
}

function signedText({ rows, hash, at }: Omit<Checkpoint, 'signature'>): Buffer {
  return Buffer.from(`causeway console_action_log\n${rows}\n${hash}\n${at}\n`);
}

/** @throws CheckpointError for a log that is empty or broken */
export function makeCheckpoint(reader: LedgerReader, at: string, privateKey: KeyObject): Checkpoint {
  const chain = verifyChain(reader);
  if (!chain.ok) throw new CheckpointError(brokenChain(chain));
  const hash = hashOfRow(reader, chain.rows);
  if (hash === undefined) throw new CheckpointError('The audit log is empty: there is nothing to sign.');
  const checkpoint = { rows: chain.rows, hash, at };
  return { ...checkpoint, signature: sign(null, signedText(checkpoint), privateKey).toString('base64') };
}

/** @throws CheckpointError where the text is no checkpoint, or was not signed with the key's other half */
export function readCheckpoint(text: string, publicKey: KeyObject): Checkpoint {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new CheckpointError('The checkpoint is no JSON.');
  }
  const read = checkpointSchema.safeParse(value);
  if (!read.success) throw new CheckpointError('The checkpoint has not the form of one.');
  if (!verify(null, signedText(read.data), publicKey, Buffer.from(read.data.signature, 'base64'))) {
    throw new CheckpointError(
      'The signature of the checkpoint does not fit: it was changed, or signed with another key.',
    );
  }
  return read.data;
}

/** What is wrong with the log against a checkpoint; null when nothing is. The chain itself is `verifyChain`'s. */
export function checkpointFault(reader: LedgerReader, { rows, hash, at }: Checkpoint): string | null {
  const found = hashOfRow(reader, rows);
  if (found === undefined) return `The audit log ends before row ${rows}, which it had at ${at}: its end was cut off.`;
  return found === hash ? null : `Row ${rows} of the audit log is another one than at ${at}: the log was written anew.`;
}

function hashOfRow(reader: LedgerReader, seq: number): string | undefined {
  return reader.first(sqlite.selectFrom('console_action_log').select('hash').where('seq', '=', seq))?.hash;
}
