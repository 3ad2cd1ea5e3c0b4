/** Help, About: the versions of program and console, and whether the build is the vendor's release. */
import { app, clipboard, dialog } from 'electron';
import { PINNED_RELEASE } from '../../../shared/service/release.ts';
import { ABOUT, type Language } from '../texts/texts.ts';

/** @param console the version that the console last reported, and its address; null for unknown */
export async function showAbout(
  console: { version: string | null; address: string | null },
  language: Language,
): Promise<void> {
  const text = ABOUT[language];
  const { electron, chrome } = process.versions;
  const detail = [
    `${text.build}: ${PINNED_RELEASE === null ? text.unsigned : text.release(PINNED_RELEASE.channel)}`,
    `${text.console}: ${console.version ?? text.unknown}`,
    `${text.address}: ${console.address ?? text.unknown}`,
    `Electron ${electron}, Chromium ${chrome}, ${process.platform} ${process.arch}`,
  ].join('\n');
  const message = `Causeway ${app.getVersion()}`;
  const { response } = await dialog.showMessageBox({
    ...{ title: text.title, message, detail, noLink: true },
    ...{ buttons: [text.close, text.copy], defaultId: 0, cancelId: 0 },
  });
  if (response === 1) void clipboard.writeText(`${message}\n${detail}`);
}
