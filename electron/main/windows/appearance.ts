/**
 * Colours and language chosen in the console hold for the whole program: the windows' background before the first paint,
 * menus, tray, dialogs and own pages (D234). They are kept in a file of the program's own, because they are needed before
 * any page has loaded. Without a choice the system decides.
 */
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { app, nativeTheme } from 'electron';
import { COLOUR_SCHEMES, type ColourScheme } from '../../../shared/wire/console/program.ts';
import type { Log } from '../diagnostics/log.ts';
import { languageOf, type Language } from '../texts/texts.ts';

interface Chosen {
  scheme: ColourScheme;
  /** Null: not chosen yet. */
  language: Language | null;
}

const file = (): string => join(app.getPath('userData'), 'appearance.json');

export class Appearance {
  readonly #log: Log;
  #chosen = storedChoice();

  /** Before the first window. */
  constructor(log: Log) {
    this.#log = log;
    this.#paint();
  }

  get language(): Language {
    return this.#chosen.language ?? languageOf(app.getPreferredSystemLanguages());
  }

  /** Applies from now on, in every window. */
  choose(chosen: Partial<Chosen>): void {
    const next = { ...this.#chosen, ...chosen };
    if (JSON.stringify(next) === JSON.stringify(this.#chosen)) return;
    this.#chosen = next;
    this.#paint();
    try {
      writeFileSync(`${file()}.new`, JSON.stringify(next), { mode: 0o600 });
      renameSync(`${file()}.new`, file());
    } catch (error) {
      this.#log.warn('appearance not kept', { reason: String(error) });
    }
  }

  #paint(): void {
    const { scheme } = this.#chosen;
    nativeTheme.themeSource = scheme === 'auto' ? 'system' : scheme;
  }
}

/** Never chosen, or unreadable: as the system. */
function storedChoice(): Chosen {
  let kept: Partial<Record<keyof Chosen, unknown>> = {};
  try {
    kept = (JSON.parse(readFileSync(file(), 'utf8')) as typeof kept | null) ?? {};
  } catch {
    // As if nothing was chosen.
  }
  const { scheme, language } = kept;
  return {
    scheme: COLOUR_SCHEMES.find((one) => one === scheme) ?? 'auto',
    language: language === 'ko' || language === 'en' ? language : null,
  };
}
