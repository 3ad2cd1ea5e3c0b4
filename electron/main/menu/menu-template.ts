/**
 * The menus of a window. The program owns the acts on itself; the console's page offers its own acts with their words and
 * the keys that its user has chosen (D234), so that menus show what this user may do, in the console's language. Pure.
 */
import type { MenuItemConstructorOptions } from 'electron';
import type { MenuAct, MenuPlace } from '../../../shared/wire/console/program.ts';
import { MENU, type Language } from '../texts/texts.ts';

export interface MenuActions {
  /** Runs an act that the page has offered. */
  act(act: MenuAct): void;
  print(): void;
  reload(): void;
  openSettings(): void;
  openManual(): void;
  checkForUpdate(): void;
  exportDiagnostics(): void;
  openLogs(): void;
  openNotices(): void;
  about(): void;
}

const SEPARATOR: MenuItemConstructorOptions = { type: 'separator' };

/** @param offered acts of the console's page; none while no user is logged in */
export function menuTemplate(
  language: Language,
  offered: readonly MenuAct[],
  actions: MenuActions,
): MenuItemConstructorOptions[] {
  const text = MENU[language];
  const at = (place: MenuPlace): MenuItemConstructorOptions[] =>
    offered.filter((act) => act.place === place).map((act) => itemOf(act, actions));
  const before = (place: MenuPlace): MenuItemConstructorOptions[] => {
    const items = at(place);
    return items.length === 0 ? [] : [...items, SEPARATOR];
  };
  const menu = (label: string, place: MenuPlace): MenuItemConstructorOptions[] => {
    const submenu = at(place);
    return submenu.length === 0 ? [] : [{ label, submenu }];
  };
  return [
    {
      label: text.file,
      submenu: [
        { label: text.print, accelerator: 'CmdOrCtrl+P', click: () => actions.print() },
        { label: text.settings, accelerator: 'CmdOrCtrl+,', click: () => actions.openSettings() },
        SEPARATOR,
        ...before('file'),
        { role: 'quit', label: text.quit, accelerator: 'CmdOrCtrl+Q' },
      ],
    },
    {
      label: text.edit,
      submenu: [
        { role: 'undo', label: text.undo },
        { role: 'redo', label: text.redo },
        SEPARATOR,
        { role: 'cut', label: text.cut },
        { role: 'copy', label: text.copy },
        { role: 'paste', label: text.paste },
        { role: 'selectAll', label: text.selectAll },
      ],
    },
    ...menu(text.review, 'review'),
    ...menu(text.go, 'go'),
    {
      label: text.view,
      submenu: [
        ...before('view'),
        { label: text.reload, accelerator: 'CmdOrCtrl+R', click: () => actions.reload() },
        SEPARATOR,
        { role: 'resetZoom', label: text.resetZoom },
        { role: 'zoomIn', label: text.zoomIn },
        { role: 'zoomOut', label: text.zoomOut },
        SEPARATOR,
        { role: 'togglefullscreen', label: text.fullScreen },
      ],
    },
    {
      label: text.help,
      submenu: [
        { label: text.manual, accelerator: 'F1', click: () => actions.openManual() },
        ...at('help'),
        SEPARATOR,
        { label: text.checkForUpdate, click: () => actions.checkForUpdate() },
        { label: text.diagnostics, click: () => actions.exportDiagnostics() },
        { label: text.logs, click: () => actions.openLogs() },
        SEPARATOR,
        { label: text.notices, click: () => actions.openNotices() },
        { label: text.about, click: () => actions.about() },
      ],
    },
  ];
}

/**
 * The page listens for its keys itself, which rest while a user types: the menu shows them and takes none of them. Keys
 * that follow one another fit no accelerator, and stand behind the words.
 */
function itemOf(act: MenuAct, actions: MenuActions): MenuItemConstructorOptions {
  const { label, keys, isEnabled } = act;
  const item = { label: withoutMnemonic(label), enabled: isEnabled, click: () => actions.act(act) };
  if (keys === null) return item;
  if (keys.includes(' ')) return { ...item, label: `${item.label} (${keys})` };
  return { ...item, accelerator: keys, registerAccelerator: false };
}

/** An ampersand would underline the letter after it. */
const withoutMnemonic = (label: string): string => label.replaceAll('&', '&&');
