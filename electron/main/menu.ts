/** The menu: only what a person expects of any window. The screens' own actions are in the screens. */
import { Menu, type MenuItemConstructorOptions } from 'electron';
import { MENU, type Language } from './texts.ts';

export function installMenu(language: Language, reload: () => void): void {
  const text = MENU[language];
  const separator: MenuItemConstructorOptions = { type: 'separator' };
  const template: MenuItemConstructorOptions[] = [
    { label: text.file, submenu: [{ role: 'quit', label: text.quit, accelerator: 'CmdOrCtrl+Q' }] },
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
        { label: text.reload, accelerator: 'CmdOrCtrl+R', click: reload },
        separator,
        { role: 'resetZoom', label: text.resetZoom },
        { role: 'zoomIn', label: text.zoomIn },
        { role: 'zoomOut', label: text.zoomOut },
        separator,
        { role: 'togglefullscreen', label: text.fullScreen },
      ],
    },
  ];
  Menu.setApplicationMenu(Menu.buildFromTemplate(template));
}
