/**
 * `npm run console-api -- audit …`: whether the audit log is whole (D19), and a signed checkpoint of it to be
 * kept elsewhere. All of it may run while the services do.
 */
import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { brokenChain, verifyChain } from '../../agent/ledger/audit.ts';
import { CheckpointError, checkpointFault, makeCheckpoint, readCheckpoint } from '../../agent/ledger/checkpoint.ts';
import { LedgerError } from '../../agent/ledger/errors.ts';
import { openLedger } from '../../agent/ledger/ledger.ts';
import type { Clock } from '../../shared/time/clock.ts';

export const AUDIT_HELP = `Audit log (CAUSEWAY_LEDGER names the ledger's file):
  audit verify                          follows the chain and names the first broken row
  audit verify CHECKPOINT PUBLIC-KEY    the same, and that nothing was cut off since the checkpoint
  audit checkpoint FILE PRIVATE-KEY     writes a signed checkpoint: keep it elsewhere
  audit key PRIVATE-KEY PUBLIC-KEY      makes a pair of keys (Ed25519, PEM)
`;

/** What a command is wrong in or cannot do; one sentence. */
class AuditCommandError extends Error {
  override name = 'AuditCommandError';
}

export interface CommandParts {
  env: Record<string, string | undefined>;
  clock: Clock;
  print(line: string): void;
  complain(line: string): void;
}

/** @returns the exit code: 0 when all is well, 1 when the log is not whole or a file cannot be used, 2 for wrong usage */
export function runAuditCommand(args: readonly string[], parts: CommandParts): 0 | 1 | 2 {
  const [command, first, second, ...more] = args;
  try {
    if (more.length === 0) {
      if (command === 'verify' && first === undefined) return verifyLog(parts, null);
      if (first !== undefined && second !== undefined) {
        if (command === 'verify') return verifyLog(parts, { checkpoint: first, publicKey: second });
        if (command === 'checkpoint') return writeCheckpoint(parts, first, second);
        if (command === 'key') return writeKeys(parts, first, second);
      }
    }
  } catch (error) {
    if (!(error instanceof AuditCommandError || error instanceof CheckpointError || error instanceof LedgerError)) {
      throw error;
    }
    parts.complain(error.message);
    return 1;
  }
  parts.complain(AUDIT_HELP);
  return 2;
}

function verifyLog(parts: CommandParts, against: { checkpoint: string; publicKey: string } | null): 0 | 1 {
  const checkpoint =
    against === null ? null : readCheckpoint(read(against.checkpoint), publicKeyOf(read(against.publicKey)));
  const ledger = openLedger(ledgerFile(parts));
  try {
    return ledger.read((reader) => {
      const chain = verifyChain(reader);
      if (!chain.ok) {
        parts.complain(brokenChain(chain));
        return 1;
      }
      const fault = checkpoint === null ? null : checkpointFault(reader, checkpoint);
      if (fault !== null) {
        parts.complain(fault);
        return 1;
      }
      const since = checkpoint === null ? '' : ` It holds every row of the checkpoint of ${checkpoint.at}.`;
      parts.print(`The audit log is whole: ${chain.rows} rows.${since}`);
      return 0;
    });
  } finally {
    ledger.close();
  }
}

function writeCheckpoint(parts: CommandParts, file: string, privateKey: string): 0 {
  const key = privateKeyOf(read(privateKey));
  const ledger = openLedger(ledgerFile(parts));
  try {
    const checkpoint = ledger.read((reader) => makeCheckpoint(reader, parts.clock.now().toISOString(), key));
    write(file, `${JSON.stringify(checkpoint, null, 2)}\n`, 0o644);
    parts.print(`Signed ${checkpoint.rows} rows: ${file}`);
    return 0;
  } finally {
    ledger.close();
  }
}

function writeKeys(parts: CommandParts, privateFile: string, publicFile: string): 0 {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  write(privateFile, privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(), 0o600);
  write(publicFile, publicKey.export({ type: 'spki', format: 'pem' }).toString(), 0o644);
  parts.print(`Wrote ${privateFile} (keep it secret) and ${publicFile}.`);
  return 0;
}

function ledgerFile({ env }: CommandParts): string {
  const file = env['CAUSEWAY_LEDGER'];
  if (file === undefined || file === '') {
    throw new AuditCommandError('CAUSEWAY_LEDGER is missing: the file of the ledger.');
  }
  return file;
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new AuditCommandError(`${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Never over a file that is there: a key or a checkpoint is not made twice. */
function write(file: string, text: string, mode: number): void {
  try {
    writeFileSync(file, text, { flag: 'wx', mode });
  } catch (error) {
    const isThere = error instanceof Error && 'code' in error && error.code === 'EEXIST';
    throw new AuditCommandError(
      isThere
        ? `${file} is there already: give another name.`
        : `${file} cannot be written: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}

function privateKeyOf(pem: string): KeyObject {
  return keyOf(() => createPrivateKey(pem), 'private');
}

function publicKeyOf(pem: string): KeyObject {
  return keyOf(() => createPublicKey(pem), 'public');
}

function keyOf(make: () => KeyObject, kind: string): KeyObject {
  let key: KeyObject;
  try {
    key = make();
  } catch {
    throw new AuditCommandError(`The ${kind} key is no key in PEM.`);
  }
  if (key.asymmetricKeyType !== 'ed25519') throw new AuditCommandError(`The ${kind} key is not of Ed25519.`);
  return key;
}
