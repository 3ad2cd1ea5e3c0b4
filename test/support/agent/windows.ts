/**
 * A simulated Windows for access rights: folders pass their entries on to new files, makers own their files, and
 * `icacls.exe` changes entries like the real one. Users reach only files that the entries allow. Its behaviour follows
 * Microsoft's documents; no test here has seen the real one.
 */
import path from 'node:path';
import { ADMINISTRATORS, rightsIn, SYSTEM, USERS } from '../../../shared/service/windows-rights.ts';
import type { WindowsFiles } from '../../../agent/operations/windows/windows-folders.ts';

const { win32 } = path;
/** A plain member of Users, without further rights. */
export const MALLORY = 'S-1-5-21-7-7-7-1001';
const CREATOR_OWNER = 'CO';

/** `CI` and `OI`: handed on to folders and to files; `IO`: only that. */
interface Entry {
  sid: string;
  /** In SDDL form. */
  rights: string;
  flags: readonly string[];
  inherited: boolean;
}
interface Place {
  kind: 'folder' | 'file' | 'link';
  owner: string;
  isProtected: boolean;
  entries: Entry[];
  text: string;
}

const LETTERS: Readonly<Record<string, string>> = { F: 'FA', M: '0x1301bf', R: 'FR', RX: '0x1200a9' };

export class WindowsOfTests implements WindowsFiles {
  readonly places = new Map<string, Place>();
  readonly calls: string[] = [];
  /** A user's act between any two steps of the installation. */
  meanwhile: () => void = () => undefined;

  constructor() {
    const entry = (sid: string, rights: string, ...flags: string[]): Entry => ({
      sid,
      rights,
      flags,
      inherited: false,
    });
    this.places.set('C:\\ProgramData', {
      kind: 'folder',
      owner: SYSTEM,
      isProtected: true,
      text: '',
      entries: [
        entry(SYSTEM, 'FA', 'OI', 'CI'),
        entry(ADMINISTRATORS, 'FA', 'OI', 'CI'),
        entry(CREATOR_OWNER, 'GA', 'OI', 'CI', 'IO'),
        entry(USERS, '0x1200a9', 'OI', 'CI'),
        entry(USERS, 'DCLCRPCR', 'CI'),
      ],
    });
  }

  make(folder: string): boolean {
    return this.#step(`mkdir ${folder}`, () => this.#create(folder, 'folder', ADMINISTRATORS, ''));
  }

  write(file: string, text: string): void {
    this.#step(`write ${file}`, () => {
      if (!this.#create(file, 'file', ADMINISTRATORS, text)) throw new Error('EEXIST');
    });
  }

  kindOf(place: string): 'nothing' | 'link' | 'there' {
    const kind = this.places.get(place)?.kind;
    return kind === undefined ? 'nothing' : kind === 'link' ? 'link' : 'there';
  }

  names(folder: string): string[] {
    return [...this.places.keys()].filter((one) => win32.dirname(one) === folder).map((one) => win32.basename(one));
  }

  rights(place: string): ReturnType<typeof rightsIn> {
    return this.#step(`rights ${place}`, () => rightsIn(this.sddl(place)));
  }

  sddl(place: string): string {
    const { owner, isProtected, entries } = this.#at(place);
    const list = entries.map(
      ({ sid, rights, flags, inherited }) => `(A;${flags.join('')}${inherited ? 'ID' : ''};${rights};;;${sid})`,
    );
    return `O:${owner}G:SYD:${isProtected ? 'PAI' : 'AI'}${list.join('')}`;
  }

  icacls(place: string, ...args: string[]): Promise<void> {
    this.#step(`icacls ${[place, ...args].join(' ')}`, () => {
      const at = this.#at(place);
      let replaces = false;
      for (const arg of args) {
        if (arg === '/inheritance:r') {
          at.isProtected = true;
          at.entries = at.entries.filter(({ inherited }) => !inherited);
        } else if (arg === '/grant:r') replaces = true;
        else if (arg !== '/Q') {
          const [, sid = '', flags = '', letter = ''] = /^\*(S-[\d-]+):((?:\([A-Z]{2}\))*)([A-Z]+)$/.exec(arg) ?? [];
          const rights = LETTERS[letter];
          if (!replaces || rights === undefined) throw new Error(`icacls does not take ${arg}`);
          at.entries = at.entries.filter((one) => one.inherited || one.sid !== sid);
          at.entries.push({ sid, rights, flags: flags.match(/[A-Z]{2}/g) ?? [], inherited: false });
        }
      }
      this.#handOn(place);
    });
    return Promise.resolve();
  }

  /** Mallory tries to make something. @returns whether the entries let her */
  plant(place: string, kind: Place['kind'], text = 'CAUSEWAY_LEDGER=planted'): boolean {
    const above = this.#at(win32.dirname(place));
    const needed = kind === 'folder' ? 'LC' : 'DC';
    const may = above.entries.some(
      ({ sid, rights, flags }) =>
        (sid === USERS || sid === MALLORY) && !flags.includes('IO') && (rights === 'FA' || rights.includes(needed)),
    );
    return may && this.#create(place, kind, MALLORY, text);
  }

  /** Whether a user can read the content. */
  isReadable(place: string): boolean {
    return this.#at(place).entries.some(
      ({ sid, flags }) => (sid === USERS || sid === MALLORY) && !flags.includes('IO'),
    );
  }

  #step<T>(call: string, work: () => T): T {
    this.calls.push(call);
    const result = work();
    this.meanwhile();
    return result;
  }

  #at(place: string): Place {
    const found = this.places.get(place);
    if (found === undefined) throw new Error(`there is no ${place}`);
    return found;
  }

  #create(place: string, kind: Place['kind'], owner: string, text: string): boolean {
    if (this.places.has(place)) return false;
    this.places.set(place, { kind, owner, isProtected: false, text, entries: this.#inheritedBy(place, kind, owner) });
    return true;
  }

  #inheritedBy(place: string, kind: Place['kind'], owner: string): Entry[] {
    const flag = kind === 'folder' ? 'CI' : 'OI';
    return this.#at(win32.dirname(place)).entries.flatMap((entry) => {
      if (!entry.flags.includes(flag)) return [];
      const flags = kind === 'folder' ? entry.flags.filter((one) => one !== 'IO') : [];
      if (entry.sid !== CREATOR_OWNER) return [{ ...entry, flags, inherited: true }];
      const own = { sid: owner, rights: 'FA', flags: [], inherited: true };
      return kind === 'folder' ? [own, { ...entry, inherited: true }] : [own];
    });
  }

  /** Passes entries on to existing children that inherit. */
  #handOn(folder: string): void {
    for (const [place, at] of this.places) {
      if (win32.dirname(place) !== folder || at.isProtected || place === folder) continue;
      at.entries = [
        ...at.entries.filter(({ inherited }) => !inherited),
        ...this.#inheritedBy(place, at.kind, at.owner),
      ];
      this.#handOn(place);
    }
  }
}
