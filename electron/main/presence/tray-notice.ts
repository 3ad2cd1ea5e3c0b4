/** Tells the user once, when they first close the window and the program stays in the tray, that it still runs. */
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { app, dialog } from 'electron';
import type { Log } from '../diagnostics/log.ts';
import { TRAY_NOTICE, type Language } from '../texts/texts.ts';

/** False: the user prefers to end it. */
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
    // The notice is then shown once more.
    log.warn('tray notice not kept', { reason: String(error) });
  }
  return true;
}
