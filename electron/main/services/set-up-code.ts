/**
 * The code with which the first administrator of a ledger without accounts registers. A local console API writes it to
 * its log; here it is shown to the user at the screen, who sees no log.
 */
import { clipboard, dialog } from 'electron';
import { SET_UP, type Language } from '../texts/texts.ts';

/** The code in a line of the console API's log, or null for any other line. */
export function setUpCodeIn(line: string): string | null {
  return /"setUpCode":"(?<code>[A-Z\d-]{8,64})"/.exec(line)?.groups?.['code'] ?? null;
}

export async function showSetUpCode(code: string, language: Language): Promise<void> {
  const text = SET_UP[language];
  const { response } = await dialog.showMessageBox({
    message: text.message,
    detail: `${code}\n\n${text.detail}`,
    buttons: [text.copy, text.close],
    defaultId: 0,
    cancelId: 1,
  });
  if (response === 0) void clipboard.writeText(code);
}
