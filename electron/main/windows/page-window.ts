/** Creates every window of the program: hidden until its page is rendered, with the background of that page. */
import { join } from 'node:path';
import { app, BrowserWindow, nativeTheme, type BrowserWindowConstructorOptions } from 'electron';
import { PAGE_PREFERENCES } from './hardening.ts';
import { SMALLEST } from './window-state.ts';

/**
 * The background between two pages, in the chosen scheme, so that a dark screen does not flash white; `--ground` of the
 * program's own pages.
 */
const GROUND = { light: '#f4f6f8', dark: '#12171c' } as const;

const ground = (): string => (nativeTheme.shouldUseDarkColors ? GROUND.dark : GROUND.light);

export function makePageWindow(
  place: Pick<BrowserWindowConstructorOptions, 'x' | 'y' | 'width' | 'height'>,
): BrowserWindow {
  const window = new BrowserWindow({
    ...place,
    minWidth: SMALLEST.width,
    minHeight: SMALLEST.height,
    show: false,
    backgroundColor: ground(),
    title: 'Causeway',
    icon: join(app.getAppPath(), 'icon.png'),
    webPreferences: { ...PAGE_PREFERENCES, preload: join(app.getAppPath(), 'preload.cjs') },
  });
  const repaint = (): void => window.setBackgroundColor(ground());
  nativeTheme.on('updated', repaint);
  window.once('closed', () => nativeTheme.off('updated', repaint));
  return window;
}
