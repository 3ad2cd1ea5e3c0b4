/** The scripts that a browser loads before a console can be used. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { LANGUAGES } from '../../shared/ui/i18n/languages.ts';

/**
 * The scripts that a page references and the longer language's words, in bytes, compressed as by the server.
 *
 * @param folder the built page
 */
export function firstScriptBytes(folder: string): number {
  const compressed = (file: string): number => gzipSync(readFileSync(path.join(folder, file)), { level: 9 }).length;
  const html = readFileSync(path.join(folder, 'index.html'), 'utf8');
  const named = [...html.matchAll(/(?:src|href)="\/([^"]+\.js)"/g)].map(([, file]) => file ?? '');
  const words = readdirSync(path.join(folder, 'assets')).filter((file) => /^(ko|en)-[^.]+\.js$/.test(file));
  if (named.length === 0) throw new Error('The page names no script.');
  if (words.length !== LANGUAGES.length)
    throw new Error(`One file of words per language is wanted: ${words.join(', ')}`);
  const scripts = named.reduce((sum, file) => sum + compressed(file), 0);
  return scripts + Math.max(...words.map((file) => compressed(path.join('assets', file))));
}
