/** The doctor's checks of files: present, readable for the service, private; certificates that match and last. */
import { certificatesOf, PemError } from '../../../shared/service/tls/pem.ts';
import { X509Certificate } from 'node:crypto';
import { statSync, type Stats } from 'node:fs';
import path from 'node:path';
import { lifeFinding } from '../../../shared/service/tls/certificate-findings.ts';
import { ok, wrong, type Finding } from '../../../shared/service/findings.ts';
import { checkPrivacy } from '../../../shared/service/secret-findings.ts';
import { folderFault } from '../../../shared/service/folder-fault.ts';
import type { Account } from '../../../shared/service/install/account.ts';
import { codeOf } from '../../../shared/service/error-code.ts';

export interface NamedFile {
  variable: string;
  file: string;
  /** A private key, or the ledger: no other user may read it. */
  secret: boolean;
  /** The ledger: the part writes it. */
  written?: true;
}

/** @returns null where it is unreadable: the findings say why */
export function checkNamedFile({ variable, file, secret, written }: NamedFile, account: Account | null): Finding[] {
  const about = `${variable} (${file})`;
  const barred = account === null ? null : barredFolder(file, account);
  if (account !== null && barred !== null)
    return [
      wrong(
        about,
        `the user ${account.name} may not enter ${barred}`,
        `chown or chmod that folder for ${account.name}`,
      ),
    ];
  let stat: Stats;
  try {
    stat = statSync(file);
  } catch (error) {
    return [
      wrong(
        about,
        `there is no such file, or it cannot be seen (${codeOf(error)})`,
        'check the path and its permissions',
      ),
    ];
  }
  if (!stat.isFile()) return [wrong(about, 'is no file', 'name the file itself')];
  if (account !== null && !may(stat, account, 4))
    return [wrong(about, `the user ${account.name} may not read it`, `chown ${account.name}: ${file}`)];
  if (written === true && account !== null && !may(stat, account, 2))
    return [
      wrong(
        about,
        `the user ${account.name} may not write it`,
        `chown ${account.name}: ${file} && chmod 600 ${file}, and those of ${file}-wal and ${file}-shm`,
      ),
    ];
  const open = secret ? checkPrivacy(variable, file, wrong) : [];
  return open.length > 0 ? open : [ok(about, 'is there and can be read')];
}

/** @returns nothing where files can be put into the folder, by this process and by the account */
export function checkFolder(about: string, folder: string, account: Account | null): Finding[] {
  const told = (fault: string): Finding[] => {
    const todo = `mount its disk, or "install -d -o ${account?.name ?? 'USER'} -m 700 ${folder}"; make room where it is full`;
    return [wrong(about, `the folder ${folder} ${fault}`, todo)];
  };
  const fault = folderFault(folder);
  if (fault !== null) return told(fault);
  if (account === null) return [];
  const isBarred = barredFolder(path.join(folder, 'file'), account) !== null || !may(statSync(folder), account, 2);
  return isBarred ? told(`cannot be written by the user ${account.name}`) : [];
}

/** The first folder above a file that an account may not enter, or null. */
export function barredFolder(file: string, account: Account): string | null {
  for (const folder of ancestors(file)) {
    const stat = statSync(folder, { throwIfNoEntry: false });
    if (stat === undefined) return null;
    if (!may(stat, account, 1)) return folder;
  }
  return null;
}

/** Every folder above a file, the root first. */
function* ancestors(file: string): Generator<string> {
  const folder = path.dirname(path.resolve(file));
  if (folder !== path.dirname(folder)) yield* ancestors(folder);
  yield folder;
}

/** @param bit 4 read, 2 write, 1 enter */
function may({ mode, uid, gid }: Stats, account: Account, bit: 1 | 2 | 4): boolean {
  if (account.uid === 0) return true;
  const shift = uid === account.uid ? 6 : gid === account.gid ? 3 : 0;
  return ((mode >> shift) & bit) !== 0;
}

/** Whether the first certificate of a PEM text is valid now, and for how long. */
export const checkValidity = (about: string, pem: string, now: Date): Finding =>
  lifeFinding(about, new X509Certificate(pem), now);

/** Whether every authority of a PEM text is valid now. */
export function checkAuthorities(about: string, pem: string, now: Date): Finding[] {
  let found: X509Certificate[];
  try {
    found = certificatesOf(pem);
  } catch (error) {
    if (!(error instanceof PemError)) throw error;
    return [wrong(about, error.message, 'put the whole file there')];
  }
  if (found.length === 0)
    return [wrong(about, 'holds no certificate in PEM form', 'put the certificate of the authority there')];
  return found.map((certificate) => lifeFinding(about, certificate, now));
}
