/** Tray and notifications: shows the console's report outside its window. */
import { join } from 'node:path';
import { app, Menu, nativeImage, Notification, Tray } from 'electron';
import type { Clock } from '../../../shared/time/clock.ts';
import type { Log } from '../diagnostics/log.ts';
import type { ConsoleReport } from '../../../shared/wire/console/program.ts';
import { arrivalOf, type Arrival } from './presence.ts';
import { PRESENCE, type Language, type OwnLanguage } from '../texts/texts.ts';

export interface PresenceActions {
  /** Brings the window to the front. */
  show(): void;
  /** Opens an item of the review queue, in front. */
  openItem(id: string): void;
  quit(): void;
  /** Whether the window is in front: then no notification is needed. */
  isInFront(): boolean;
  /** Shows a number on the program's icon; 0: none. */
  badge(count: number, words: string): void;
}

/** How long a person may silence the notifications, in ms. The badge goes on. */
const SILENCE_MS = 30 * 60_000;

export class PresenceView {
  readonly #actions: PresenceActions;
  readonly #language: OwnLanguage;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #tray: Tray;
  #silentUntil = 0;
  #report: ConsoleReport | null = null;
  /** Kept, because a garbage-collected notification loses its click handler. */
  #notification: Notification | null = null;

  constructor(actions: PresenceActions, language: OwnLanguage, clock: Clock, log: Log) {
    this.#actions = actions;
    this.#language = language;
    this.#clock = clock;
    this.#log = log;
    this.#tray = new Tray(nativeImage.createFromPath(join(app.getAppPath(), 'tray.png')));
    this.#tray.on('click', () => actions.show());
    this.draw();
  }

  /** Takes a new report; null: no console is in the window. */
  take(report: ConsoleReport | null): void {
    const arrival = report === null ? null : arrivalOf(this.#report, report);
    this.#report = report;
    this.draw();
    const isSilent = this.#clock.now().getTime() < this.#silentUntil || this.#actions.isInFront();
    if (arrival !== null && !isSilent) this.#notify(arrival);
  }

  /** Draws the tray and the badge, in the present language. */
  draw(): void {
    const language = this.#language();
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
    const waiting = this.#report?.waiting ?? 0;
    this.#actions.badge(waiting, text.waiting(waiting));
  }

  #notify({ kind, id, name, count }: Arrival): void {
    const text = PRESENCE[this.#language()];
    const title = kind === 'asked' ? text.asked(count) : text.arrived(count);
    // A system without buttons leaves them out.
    const actions = [text.open, text.silence].map((words) => ({ type: 'button' as const, text: words }));
    const notification = new Notification({ title, body: name, actions });
    notification.on('click', () => this.#actions.openItem(id));
    notification.on('action', (_event, index) => {
      if (index === 0) this.#actions.openItem(id);
      else this.#silentUntil = this.#clock.now().getTime() + SILENCE_MS;
    });
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
