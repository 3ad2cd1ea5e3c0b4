/** File, Print: the page of a window, in its print layout, by the system's dialog. */
import { dialog, type WebContents } from 'electron';
import type { Log } from '../diagnostics/log.ts';
import { PRINT, type Language } from '../texts/texts.ts';

export function printPage(contents: WebContents, language: Language, log: Log): void {
  contents.print({ printBackground: true }, (isPrinted, reason) => {
    // The user's own choice is no failure.
    if (isPrinted || /cancel/i.test(reason)) return;
    log.warn('not printed', { reason });
    dialog.showErrorBox(PRINT[language].failed, `${PRINT[language].advice}\n${reason}`);
  });
}
