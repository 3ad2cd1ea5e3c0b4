/** Tray and notifications: shows the console's report outside its window. */
import { join } from 'node:path';
import { app, Menu, nativeImage, Notification, Tray } from 'electron';
import type { Log } from '../diagnostics/log.ts';
import type { ConsoleReport } from '../../../shared/wire/console/program.ts';
import { arrivalOf, type Arrival } from './presence.ts';
import { PRESENCE, type Language } from '../texts/texts.ts';

export interface PresenceActions {
  /** Brings the window to the front. */
  show(): void;
  /** Opens an item of the review queue, in front. */
  openItem(id: string): void;
  quit(): void;
  /** Whether the window is in front: then no notification is needed. */
  isInFront(): boolean;
}

export class PresenceView {
  readonly #actions: PresenceActions;
  readonly #log: Log;
  readonly #tray: Tray;
  #report: ConsoleReport | null = null;
  /** Kept, because a garbage-collected notification loses its click handler. */
  #notification: Notification | null = null;

  constructor(actions: PresenceActions, language: Language, log: Log) {
    this.#actions = actions;
    this.#log = log;
    this.#tray = new Tray(nativeImage.createFromPath(join(app.getAppPath(), 'tray.png')));
    this.#tray.on('click', () => actions.show());
    this.#draw(language);
  }

  /** Takes a new report; null: no console is in the window. */
  take(report: ConsoleReport | null, language: Language): void {
    const arrival = report === null ? null : arrivalOf(this.#report, report);
    this.#report = report;
    this.#draw(report?.language ?? language);
    if (report !== null && arrival !== null && !this.#actions.isInFront()) this.#notify(arrival, report.language);
  }

  #draw(language: Language): void {
    const words = trayWords(this.#report, language);
    const text = PRESENCE[language];
    this.#tray.setToolTip(words);
    this.#tray.setContextMenu(
      Menu.buildFromTemplate([
        ...words.split('\n').map((label) => ({ label, enabled: false })),
        { type: 'separator' },
        { label: text.show, click: () => this.#actions.show() },
        { label: text.quit, click: () => this.#actions.quit() },
      ]),
    );
    this.#log.info('tray says', { words });
  }

  #notify({ kind, id, name, count }: Arrival, language: Language): void {
    const text = PRESENCE[language];
    const title = kind === 'asked' ? text.asked(count) : text.arrived(count);
    const notification = new Notification({ title, body: name });
    notification.on('click', () => this.#actions.openItem(id));
    notification.show();
    this.#notification?.close();
    this.#notification = notification;
    this.#log.info('notification shown', { kind, id });
  }
}

/** The tray's text, one line per fact. */
function trayWords(report: ConsoleReport | null, language: Language): string {
  const text = PRESENCE[language];
  if (report === null) return `Causeway\n${text.notShown}`;
  if (report.sync === null && report.waiting === null) return `Causeway\n${text.loggedOut}`;
  return [
    'Causeway',
    report.sync === null ? text.syncUnknown : report.sync === 'OK' ? text.syncOk : text.syncProblem(report.sync),
    report.waiting === null ? text.waitingUnknown : text.waiting(report.waiting),
  ].join('\n');
}
