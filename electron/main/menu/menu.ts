/** The menus of every window, drawn anew when the language changes or the page offers other acts. */
import { Menu } from 'electron';
import type { MenuAct } from '../../../shared/wire/console/program.ts';
import type { OwnLanguage } from '../texts/texts.ts';
import { menuTemplate, type MenuActions } from './menu-template.ts';

export class ProgramMenu {
  readonly #language: OwnLanguage;
  readonly #actions: MenuActions;
  #offered: readonly MenuAct[] = [];

  constructor(language: OwnLanguage, actions: MenuActions) {
    this.#language = language;
    this.#actions = actions;
    this.draw();
  }

  /** None: the page has no acts, or is gone. */
  offer(acts: readonly MenuAct[]): void {
    if (JSON.stringify(acts) === JSON.stringify(this.#offered)) return;
    this.#offered = acts;
    this.draw();
  }

  draw(): void {
    Menu.setApplicationMenu(Menu.buildFromTemplate(menuTemplate(this.#language(), this.#offered, this.#actions)));
  }
}
