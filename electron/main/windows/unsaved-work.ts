/** A page with unsaved work may ask the user to stay, but not when the system ends the program. */
import { dialog, type BrowserWindow } from 'electron';
import { CLOSING, type OwnLanguage } from '../texts/texts.ts';

export interface ClosingEvents {
  /** Whether the program is ending, so that a page cannot hold the window open. */
  isEnding(): boolean;
  /** The user has chosen to stay with unsaved work: nothing ends for now. */
  stays(): void;
}

export function askBeforeLosingWork(window: BrowserWindow, events: ClosingEvents, language: OwnLanguage): void {
  window.webContents.on('will-prevent-unload', (event) => {
    if (events.isEnding()) {
      event.preventDefault();
      return;
    }
    const { question, stay, leave } = CLOSING[language()];
    const choice = dialog.showMessageBoxSync(window, {
      type: 'question',
      message: question,
      buttons: [stay, leave],
      defaultId: 0,
      cancelId: 0,
    });
    if (choice === 1) event.preventDefault();
    else events.stays();
  });
}
