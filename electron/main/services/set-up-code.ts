/**
 * The code by which the first administrator of a ledger without accounts names themselves. A local console API says
 * it in its log; here it is shown to the person in front of it, who has no log to look into.
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
