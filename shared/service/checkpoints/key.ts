/** The key that signs checkpoints: created on first use, readable by its owner only, never overwritten. */
import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { CheckpointError } from './checkpoint.ts';

/**
 * @param made called when a key was created
 * @throws CheckpointError
 */
export async function checkpointKey(
  file: string,
  made: (key: KeyObject) => void = () => undefined,
): Promise<KeyObject> {
  const there = await readIfThere(file);
  if (there !== null) return ed25519(() => createPrivateKey(there), `The key of the checkpoints, ${file},`);
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const { privateKey } = generateKeyPairSync('ed25519');
  const temporary = `${file}.${process.pid}.new`;
  try {
    await writeFile(temporary, privateKey.export({ type: 'pkcs8', format: 'pem' }), { flag: 'wx', mode: 0o600 });
    await link(temporary, file);
  } catch (error) {
    // Another process created the key first: use that one.
    if (isCode(error, 'EEXIST')) return await checkpointKey(file);
    throw error;
  } finally {
    await rm(temporary, { force: true });
  }
  made(privateKey);
  return privateKey;
}

/** The public key in a PEM file, which a verifier keeps elsewhere. @throws CheckpointError */
export async function pinnedKey(file: string): Promise<KeyObject> {
  const pem = await readIfThere(file);
  if (pem === null) throw new CheckpointError(`There is no key ${file}.`);
  return ed25519(() => createPublicKey(pem), `The file ${file}`);
}

async function readIfThere(file: string): Promise<string | null> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (isCode(error, 'ENOENT')) return null;
    throw error;
  }
}

function ed25519(make: () => KeyObject, what: string): KeyObject {
  let key: KeyObject;
  try {
    key = make();
  } catch {
    throw new CheckpointError(`${what} holds no key in PEM form.`);
  }
  if (key.asymmetricKeyType !== 'ed25519') throw new CheckpointError(`${what} holds no key of Ed25519.`);
  return key;
}

export function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
