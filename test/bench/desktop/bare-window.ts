/** The raw limit of a cold start: the packed program's own runtime with a window on a static page, without our code. */
import { linkSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const MAIN = `
  const { app, BrowserWindow } = require('electron');
  const fs = require('node:fs');
  const path = require('node:path');
  app.setPath('userData', process.env.BENCH_DATA);
  app.whenReady().then(() => {
    const window = new BrowserWindow({ width: 1280, height: 860, show: false, webPreferences: { sandbox: true, contextIsolation: true } });
    window.once('ready-to-show', () => window.show());
    window.loadURL('data:text/html;base64,' + fs.readFileSync(path.join(__dirname, 'page.html')).toString('base64'));
  });
  app.on('window-all-closed', () => app.quit());
  process.on('SIGTERM', () => app.quit());
`;
const PAGE = `<!doctype html><html lang="ko"><meta charset="utf-8"><title>bare</title><h1>정적인 쪽</h1>
<table>${Array.from({ length: 30 }, (_, row) => `<tr><td>${row}</td><td>KODEX 반도체</td></tr>`).join('')}</table></html>`;

/** Creates the program in a folder beside the packed one and links everything but its own code. */
export function makeBareWindow(executable: string, folder: string): string {
  const packed = path.dirname(executable);
  const program = path.join(folder, 'bare');
  mkdirSync(path.join(program, 'resources'), { recursive: true });
  const manifest = JSON.stringify({ name: 'bare', main: 'main.js' });
  const archive = archiveOf({ 'package.json': manifest, 'main.js': MAIN, 'page.html': PAGE });
  writeFileSync(path.join(program, 'resources', 'app.asar'), archive);
  for (const name of readdirSync(packed).filter((one) => one !== 'resources')) {
    // The program resolves its folder from its file, so this file must be a hard link.
    if (name === path.basename(executable)) linkSync(executable, path.join(program, name));
    else symlinkSync(path.join(packed, name), path.join(program, name));
  }
  return path.join(program, path.basename(executable));
}

/** Files in Electron's archive format: the fuses allow no other. */
function archiveOf(files: Record<string, string>): Buffer {
  let offset = 0;
  const entries = Object.entries(files).map(([name, text]) => {
    const size = Buffer.byteLength(text);
    const entry = [name, { size, offset: String(offset) }] as const;
    offset += size;
    return entry;
  });
  const header = Buffer.from(JSON.stringify({ files: Object.fromEntries(entries) }));
  const padded = Math.ceil(header.length / 4) * 4;
  const head = Buffer.alloc(16 + padded);
  for (const [place, value] of [4, padded + 8, padded + 4, header.length].entries())
    head.writeUInt32LE(value, place * 4);
  header.copy(head, 16);
  return Buffer.concat([head, ...Object.values(files).map((text) => Buffer.from(text))]);
}
