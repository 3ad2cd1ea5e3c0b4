/** Help, Export Diagnostics: asks for a place and writes the file. */
import { writeFileSync } from 'node:fs';
import { arch, homedir, release, totalmem } from 'node:os';
import { join } from 'node:path';
import { app, dialog } from 'electron';
import { systemClock } from '../../../shared/time/clock.ts';
import { DIAGNOSTICS_LOG, diagnosticsName, diagnosticsOf, type DiagnosticsInput } from '../diagnostics/diagnostics.ts';
import type { LogFile } from '../diagnostics/log-file.ts';
import type { Log } from '../diagnostics/log.ts';
import { DIAGNOSTICS, type Language } from '../texts/texts.ts';

export async function exportDiagnostics(
  console: DiagnosticsInput['console'],
  logFile: LogFile | null,
  language: Language,
  log: Log,
): Promise<void> {
  const at = systemClock.now();
  const text = DIAGNOSTICS[language];
  const { canceled, filePath } = await dialog.showSaveDialog({
    title: text.title,
    defaultPath: join(app.getPath('documents'), diagnosticsName(at)),
    filters: [{ name: 'JSON', extensions: ['json'] }],
  });
  if (canceled || filePath === '') return;
  const document = diagnosticsOf({
    at,
    versions: {
      causeway: app.getVersion(),
      electron: process.versions.electron,
      chromium: process.versions.chrome,
      node: process.versions.node,
    },
    system: {
      platform: process.platform,
      release: release(),
      architecture: arch(),
      memoryBytes: totalmem(),
      locale: app.getLocale(),
    },
    console,
    env: process.env,
    log: logFile?.tail(DIAGNOSTICS_LOG) ?? '',
    home: homedir(),
  });
  try {
    writeFileSync(filePath, document, { mode: 0o600 });
    log.info('diagnostics exported');
  } catch (error) {
    log.error('diagnostics not exported', { reason: String(error) });
    dialog.showErrorBox(text.title, `${text.failed}\n${error instanceof Error ? error.message : String(error)}`);
  }
}
