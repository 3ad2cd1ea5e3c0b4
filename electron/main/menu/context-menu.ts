/** The context menu: only applicable items, in the program's language. */
import { clipboard, Menu, type BrowserWindow, type MenuItemConstructorOptions } from 'electron';
import { CONTEXT, type ContextItem, type OwnLanguage } from '../texts/texts.ts';
import { contextItems } from './context-items.ts';

export function installContextMenu(window: BrowserWindow, language: OwnLanguage): void {
  window.webContents.on('context-menu', (_event, clicked) => {
    const text = CONTEXT[language()];
    const items = contextItems(clicked).map((item): MenuItemConstructorOptions =>
      itemOf(item, text[item], clicked.linkURL),
    );
    if (items.length > 0) Menu.buildFromTemplate(items).popup({ window });
  });
}

function itemOf(item: ContextItem, label: string, link: string): MenuItemConstructorOptions {
  return item === 'copyLink' ? { label, click: () => void clipboard.writeText(link) } : { role: item, label };
}
