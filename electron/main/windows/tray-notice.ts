/**
 * A person who closes the window for the first time, where it stays in the tray, is told so once: a program that is
 * out of sight and still runs must not come as a surprise.
 */
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { app, dialog } from 'electron';
import type { Log } from '../diagnostics/log.ts';
import { TRAY_NOTICE, type Language } from '../texts/texts.ts';

/** False: the person would rather end it. */
export async function mayStayInTray(language: Language, log: Log): Promise<boolean> {
  const file = join(app.getPath('userData'), 'tray-notice');
  if (existsSync(file)) return true;
  const text = TRAY_NOTICE[language];
  const { response } = await dialog.showMessageBox({
    message: text.message,
    detail: text.detail,
    buttons: [text.stay, text.quit],
    defaultId: 0,
    cancelId: 0,
    noLink: true,
  });
  if (response !== 0) return false;
  try {
    writeFileSync(file, '', { mode: 0o600 });
  } catch (error) {
    // Told once more the next time.
    log.warn('tray notice not kept', { reason: String(error) });
  }
  return true;
}
