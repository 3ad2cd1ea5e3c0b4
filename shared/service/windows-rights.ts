/**
 * The rights on a Windows file or folder, read from its security descriptor in SDDL, which names accounts and rights in
 * every language alike. Pure except for `readRights`.
 */
import { spawnSync } from 'node:child_process';
import path from 'node:path';

/** SYSTEM, the administrators, the users, and Windows' own installer. */
export const SYSTEM = 'S-1-5-18';
export const ADMINISTRATORS = 'S-1-5-32-544';
export const USERS = 'S-1-5-32-545';
const TRUSTED_INSTALLER = 'S-1-5-80-956008885-3418522649-1831038044-1853292631-2271478464';
export const OF_THE_SYSTEM: readonly string[] = [SYSTEM, ADMINISTRATORS, TRUSTED_INSTALLER];

/** SDDL's abbreviations of fixed accounts. Other abbreviations stay as they are and count as not trusted. */
const SHORT: Readonly<Record<string, string>> = {
  SY: SYSTEM,
  BA: ADMINISTRATORS,
  BU: USERS,
  AU: 'S-1-5-11',
  WD: 'S-1-1-0',
  IU: 'S-1-5-4',
  LS: 'S-1-5-19',
  NS: 'S-1-5-20',
};
/** Stands for the creator of a file in a folder: it gives rights to no account that could not create files there. */
const CREATOR_OWNER = 'CO';

/** Rights that change what is read there: data, names, attributes, and the rights themselves. */
const CHANGES = 0x2 | 0x4 | 0x10 | 0x40 | 0x100 | 0x1_0000 | 0x4_0000 | 0x8_0000 | 0x1000_0000 | 0x4000_0000;
const LETTERS: Readonly<Record<string, number>> = {
  ...{ CC: 0x1, DC: 0x2, LC: 0x4, SW: 0x8, RP: 0x10, WP: 0x20, DT: 0x40, LO: 0x80, CR: 0x100 },
  ...{ SD: 0x1_0000, RC: 0x2_0000, WD: 0x4_0000, WO: 0x8_0000, GX: 0x2000_0000, GW: 0x4000_0000, GA: 0x1000_0000 },
  ...{ GR: 0x8000_0000, FA: 0x1f_01ff, FR: 0x12_0089, FW: 0x12_0116, FX: 0x12_00a0 },
};

export interface Rights {
  /** As a SID. */
  owner: string;
  /** Whether nothing is inherited from the folder above. */
  isProtected: boolean;
  /** Accounts that may change the file or folder, or files created in it. */
  writers: readonly string[];
}

export const EVERYBODY: Rights = { owner: '', isProtected: false, writers: ['S-1-1-0'] };

/** Reads a descriptor; one that cannot be parsed counts as writable for every account. */
export function rightsIn(sddl: string): Rights {
  const match =
    /^(?:O:(?<owner>S-[\d-]+|[A-Z]{2}))?(?:G:(?:S-[\d-]+|[A-Z]{2}))?D:(?<flags>[A-Z]*)(?<list>(?:\([^()]*\))*)(?:S:.*)?$/s.exec(
      sddl.trim(),
    );
  const { owner = '', flags = '', list = '' } = match?.groups ?? {};
  if (match === null || flags.includes('NO_ACCESS_CONTROL')) return EVERYBODY;
  const writers = new Set<string>();
  for (const [, entry = ''] of list.matchAll(/\(([^()]*)\)/g)) {
    const [type = '', , rights = '', , , trustee = ''] = entry.split(';');
    const isDenial = type === 'D' || type === 'OD' || type === 'XD';
    if (!isDenial && trustee !== CREATOR_OWNER && (maskOf(rights) & CHANGES) !== 0) writers.add(whole(trustee));
  }
  return { owner: whole(owner), isProtected: /P/.test(flags.replaceAll(/A[IR]/g, '')), writers: [...writers] };
}

const whole = (trustee: string): string => SHORT[trustee] ?? trustee;

function maskOf(rights: string): number {
  if (/^0x[\da-f]+$/i.test(rights)) return Number(rights);
  const pairs = rights.match(/../g) ?? [];
  return pairs.reduce((mask, pair) => mask | (LETTERS[pair] ?? CHANGES), 0);
}

/** The reason why an untrusted account could have changed it; null when none could. */
export function strangerIn({ owner, writers }: Rights, trusted: readonly string[]): string | null {
  if (!trusted.includes(owner)) return `it belongs to ${owner === '' ? 'an unknown owner' : owner}`;
  const stranger = writers.find((writer) => !trusted.includes(writer));
  return stranger === undefined ? null : `${stranger} may write there`;
}

/** The full path of a system program: by its bare name Windows would start one from the present folder. */
export const systemProgram = (name: string, env: Readonly<Record<string, string | undefined>>): string =>
  path.win32.join(env['SystemRoot'] ?? String.raw`C:\Windows`, 'System32', name);

/** The call that asks for descriptors. The paths go in a variable, so that no part of them runs as a command. */
export function rightsCall(
  places: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): { command: string; args: string[]; env: Record<string, string> } {
  const script =
    "$ErrorActionPreference = 'Stop'; foreach ($place in $env:CAUSEWAY_CHECKED -split '\\|') { (Get-Acl -LiteralPath $place).Sddl }";
  return {
    command: systemProgram(String.raw`WindowsPowerShell\v1.0\powershell.exe`, env),
    args: ['-NoLogo', '-NoProfile', '-NonInteractive', '-Command', script],
    env: { SystemRoot: env['SystemRoot'] ?? String.raw`C:\Windows`, CAUSEWAY_CHECKED: places.join('|') },
  };
}

/** @throws when Windows cannot be asked */
export function readRights(places: readonly string[], env: Readonly<Record<string, string | undefined>>): Rights[] {
  const { command, args, env: own } = rightsCall(places, env);
  const { status, stdout, stderr, error } = spawnSync(command, args, { env: own, encoding: 'utf8', windowsHide: true });
  const told = (stdout ?? '').trim().split(/\r?\n/);
  if (status !== 0 || told.length !== places.length)
    throw new Error(`The rights of ${places.join(' and ')} cannot be read: ${error?.message ?? stderr.trim()}`);
  return told.map(rightsIn);
}
