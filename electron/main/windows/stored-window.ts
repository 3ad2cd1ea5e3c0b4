/** Stores the window's position in a file of the program's own, and restores it. */
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { app, screen, type BrowserWindow } from 'electron';
import type { Log } from '../diagnostics/log.ts';
import type { Schedule } from '../services/schedule.ts';
import { readWindowState, usableState, type WindowState } from './window-state.ts';

/** A moved window's position is stored once it has rested this long, in ms. */
const REST_MS = 500;

const file = (): string => join(app.getPath('userData'), 'window.json');

/** Where to open the window; null for the first time, and for a position outside the displays. */
export function storedWindowState(): WindowState | null {
  let text: string;
  try {
    text = readFileSync(file(), 'utf8');
  } catch {
    return null;
  }
  return usableState(
    readWindowState(text),
    screen.getAllDisplays().map(({ workArea }) => workArea),
  );
}

/** Stores the window's position after each change. */
export function keepWindowState(window: BrowserWindow, schedule: Schedule, log: Log): void {
  let cancel = (): void => undefined;
  const write = (): void => {
    const state: WindowState = { bounds: window.getNormalBounds(), maximized: window.isMaximized() };
    try {
      writeFileSync(`${file()}.new`, JSON.stringify(state), { mode: 0o600 });
      renameSync(`${file()}.new`, file());
    } catch (error) {
      log.warn('window state not kept', { reason: String(error) });
    }
  };
  const later = (): void => {
    cancel();
    cancel = schedule(REST_MS, write);
  };
  const now = (): void => {
    cancel();
    write();
  };
  window.on('resize', later);
  window.on('move', later);
  window.on('maximize', later);
  window.on('unmaximize', later);
  window.on('close', now);
}
