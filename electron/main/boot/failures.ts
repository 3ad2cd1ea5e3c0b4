/**
 * Handles a fault of the program itself: logs it whole, shows one plain message, then ends or restarts the program. It
 * does not continue, because its state is unknown. The services end with it, and decisions made are kept.
 */
import { dialog } from 'electron';
import type { Log } from '../diagnostics/log.ts';
import { FAILED, type OwnLanguage } from '../texts/texts.ts';

export interface FailureActions {
  startAnew(): void;
  quit(): void;
  exportDiagnostics(): Promise<void>;
}

/** From here on every uncaught error is reported. */
export function tellFailures(actions: FailureActions, language: OwnLanguage, log: Log): void {
  let isTold = false;
  const take = (error: unknown): void => {
    const { message, stack = null } = error instanceof Error ? error : new Error(String(error));
    log.error('program failed', { reason: message, stack });
    if (isTold) return;
    isTold = true;
    void tellOrQuit(message, actions, language);
  };
  process.on('uncaughtException', take);
  process.on('unhandledRejection', take);
}

async function tellOrQuit(reason: string, actions: FailureActions, language: OwnLanguage): Promise<void> {
  try {
    await tell(reason, actions, language);
  } catch {
    actions.quit();
  }
}

async function tell(reason: string, actions: FailureActions, language: OwnLanguage): Promise<void> {
  const text = FAILED[language()];
  const { response } = await dialog.showMessageBox({
    type: 'error',
    message: text.message,
    detail: `${text.detail}\n\n${reason}`,
    buttons: [text.again, text.save, text.quit],
    defaultId: 0,
    cancelId: 2,
    noLink: true,
  });
  if (response === 0) actions.startAnew();
  else if (response === 2) actions.quit();
  else {
    await actions.exportDiagnostics();
    await tell(reason, actions, language);
  }
}
