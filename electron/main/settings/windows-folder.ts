/** The folder for the data of all users on Windows, without a word from the user's own variables. */
import { win32 } from 'node:path';

const LOADER = /^[a-z]:\\.*\\system32\\ntdll\.dll$/i;

/**
 * The folder of the Windows that runs this program: its loader's own file lies there, whatever `SystemRoot` says.
 *
 * @param loaded the full paths of what this process has loaded
 */
export function windowsFolder(loaded: readonly string[]): string {
  const loader = loaded.find((file) => LOADER.test(file));
  return loader === undefined ? String.raw`C:\Windows` : win32.dirname(win32.dirname(loader));
}

/** Beside it: Windows moves this folder to no other drive. */
export const programData = (windows: string): string => win32.join(win32.parse(windows).root, 'ProgramData');

/** What this process has loaded. */
export function loadedFiles(): readonly string[] {
  const report = process.report.getReport() as unknown as { sharedObjects?: readonly string[] };
  return report.sharedObjects ?? [];
}
