/**
 * Light, dark, or as the system: the colour scheme chosen in the console holds for the whole program, including the
 * windows' background before the first paint, menus and own pages. It is kept in a file of the program's own, because
 * it is needed before any page has loaded.
 */
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { app, nativeTheme } from 'electron';
import { COLOUR_SCHEMES, type ColourScheme } from '../../../shared/wire/console/program.ts';
import type { Log } from '../diagnostics/log.ts';

const file = (): string => join(app.getPath('userData'), 'appearance.json');

/** Before the first window. */
export function takeKeptScheme(): void {
  nativeTheme.themeSource = sourceOf(keptScheme());
}

/** Applies from now on, in every window. */
export function chooseScheme(scheme: ColourScheme, log: Log): void {
  nativeTheme.themeSource = sourceOf(scheme);
  if (scheme === keptScheme()) return;
  try {
    writeFileSync(`${file()}.new`, JSON.stringify({ scheme }), { mode: 0o600 });
    renameSync(`${file()}.new`, file());
  } catch (error) {
    log.warn('appearance not kept', { reason: String(error) });
  }
}

function keptScheme(): ColourScheme {
  let kept: unknown;
  try {
    kept = JSON.parse(readFileSync(file(), 'utf8'));
  } catch {
    // Never chosen, or unreadable: follow the system.
    return 'auto';
  }
  const scheme = typeof kept === 'object' && kept !== null && 'scheme' in kept ? kept.scheme : null;
  return COLOUR_SCHEMES.find((one) => one === scheme) ?? 'auto';
}

function sourceOf(scheme: ColourScheme): 'light' | 'dark' | 'system' {
  return scheme === 'auto' ? 'system' : scheme;
}
