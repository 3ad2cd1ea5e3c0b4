/** The standard menus of a window. The screens have their own actions. */
import { clipboard, Menu, type BrowserWindow, type MenuItemConstructorOptions } from 'electron';
import { contextItems } from './context-items.ts';
import { type ContextItem, CONTEXT, MENU, type Language } from '../texts/texts.ts';

export interface MenuActions {
  reload(): void;
  openSettings(): void;
  checkForUpdate(): void;
  exportDiagnostics(): void;
  openLogs(): void;
  openNotices(): void;
}

export function installMenu(language: Language, actions: MenuActions): void {
  const text = MENU[language];
  const separator: MenuItemConstructorOptions = { type: 'separator' };
  const template: MenuItemConstructorOptions[] = [
    {
      label: text.file,
      submenu: [
        { label: text.settings, accelerator: 'CmdOrCtrl+,', click: () => actions.openSettings() },
        separator,
        { role: 'quit', label: text.quit, accelerator: 'CmdOrCtrl+Q' },
      ],
    },
    {
      label: text.edit,
      submenu: [
        { role: 'undo', label: text.undo },
        { role: 'redo', label: text.redo },
        separator,
        { role: 'cut', label: text.cut },
        { role: 'copy', label: text.copy },
        { role: 'paste', label: text.paste },
        { role: 'selectAll', label: text.selectAll },
      ],
    },
    {
      label: text.view,
      submenu: [
        { label: text.reload, accelerator: 'CmdOrCtrl+R', click: () => actions.reload() },
        separator,
        { role: 'resetZoom', label: text.resetZoom },
        { role: 'zoomIn', label: text.zoomIn },
        { role: 'zoomOut', label: text.zoomOut },
        separator,
        { role: 'togglefullscreen', label: text.fullScreen },
      ],
    },
    {
      label: text.help,
      submenu: [
        { label: text.checkForUpdate, click: () => actions.checkForUpdate() },
        separator,
        { label: text.diagnostics, click: () => actions.exportDiagnostics() },
        { label: text.logs, click: () => actions.openLogs() },
        separator,
        { label: text.notices, click: () => actions.openNotices() },
      ],
    },
  ];
  Menu.setApplicationMenu(Menu.buildFromTemplate(template));
}

/** The context menu: only applicable items. */
export function installContextMenu(window: BrowserWindow, language: Language): void {
  const text = CONTEXT[language];
  window.webContents.on('context-menu', (_event, clicked) => {
    const items = contextItems(clicked).map((item): MenuItemConstructorOptions =>
      itemOf(item, text[item], clicked.linkURL),
    );
    if (items.length > 0) Menu.buildFromTemplate(items).popup({ window });
  });
}

function itemOf(item: ContextItem, label: string, link: string): MenuItemConstructorOptions {
  return item === 'copyLink' ? { label, click: () => void clipboard.writeText(link) } : { role: item, label };
}
