/**
 * Packs the console API as one file with the code that V8 compiled of it in a run (D163): a start reads the code
 * instead of compiling. V8 refuses code of another version of itself and then compiles.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { DEMO_PASSWORD } from '../../../agent/ledger/demo/seed.ts';
import { pinnedNode } from '../../setup/electron-runtime.js';
import { PackagingError } from './inputs.ts';

const BUNDLE = 'bundle.cjs';
const CODE = 'bundle.code';

/** Compiles the bundle as a module, from kept code where there is some. */
const COMPILE = `'use strict';
const { readFileSync } = require('node:fs');
const { createRequire } = require('node:module');
const { Script, constants } = require('node:vm');
const filename = require('node:path').join(__dirname, '${BUNDLE}');
const source = '(function (exports, require, module, __filename, __dirname) {' + readFileSync(filename, 'utf8') + '\\n})';
const importModuleDynamically = constants.USE_MAIN_CONTEXT_DEFAULT_LOADER;
const run = (script) => {
  const own = { exports: {} };
  script.runInThisContext()(own.exports, createRequire(filename), own, filename, __dirname);
};
`;

const MAIN = `${COMPILE}
const kept = () => {
  try {
    return readFileSync(require('node:path').join(__dirname, '${CODE}'));
  } catch {
    return undefined;
  }
};
run(new Script(source, { filename, importModuleDynamically, cachedData: kept() }));
`;

/** Runs the same bundle and, on request, writes the code that is compiled by then. */
const MAKER = `${COMPILE}
const script = new Script(source, { filename, importModuleDynamically });
process.once('message', (file) => {
  require('node:fs').writeFileSync(file, script.createCachedData());
  // Stopped as on SIGTERM, on Windows too; see endProcess.
  process.disconnect();
  process.emit('SIGTERM', 'SIGTERM');
});
run(script);
`;

/** Writes `main.cjs` beside the bundle, and the code that a start up to a first list needs. @throws PackagingError */
export async function keepCompiledCode(folder: string): Promise<void> {
  writeFileSync(join(folder, 'main.cjs'), MAIN);
  const work = mkdtempSync(join(tmpdir(), 'causeway-code-'));
  const maker = join(folder, 'maker.cjs');
  writeFileSync(maker, MAKER);
  try {
    await compile(folder, work, maker);
  } finally {
    rmSync(work, { recursive: true, force: true });
    rmSync(maker);
  }
  if ((statSync(join(folder, CODE), { throwIfNoEntry: false })?.size ?? 0) === 0)
    throw new PackagingError('The console API was packed without its compiled code.');
}

async function compile(folder: string, work: string, maker: string): Promise<void> {
  const child = spawn(pinnedNode(), [maker], {
    env: {
      CAUSEWAY_LEDGER: join(work, 'ledger.sqlite'),
      CAUSEWAY_CONSOLE_LISTEN: '127.0.0.1:0',
      CAUSEWAY_CONSOLE_PAGES: work,
      CAUSEWAY_DEMO: '1',
      ...(process.env['SYSTEMROOT'] === undefined ? {} : { SYSTEMROOT: process.env['SYSTEMROOT'] }),
    },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    windowsHide: true,
  });
  let words = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (words += text));
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  const address = new Promise<string | null>((resolve) => {
    if (child.stdout === null) return;
    createInterface({ input: child.stdout }).on('line', (line) => {
      const url = /"url":"(http:[^"]+)".*"msg":"listening"/.exec(line)?.[1];
      if (url !== undefined) resolve(url);
    });
    child.once('close', () => resolve(null));
  });
  const url = await address;
  if (url !== null) {
    await runFirstMinute(url);
    child.send(join(folder, CODE));
  }
  if ((await ended) !== 0)
    throw new PackagingError(`The console API does not run as it was packed: ${words.trim() || 'it ended'}.`);
}

/** Logs in and sends the requests of a reviewer's first screens, so that V8 compiles their code. */
async function runFirstMinute(url: string): Promise<void> {
  const login = await fetch(`${url}/api/v1/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: url },
    body: JSON.stringify({ username: 'reviewer', password: DEMO_PASSWORD }),
  });
  const cookie = login.headers.getSetCookie().map((set) => set.split(';')[0]);
  if (!login.ok || cookie.length === 0)
    throw new PackagingError(`The packed console API answers a login with ${login.status}.`);
  for (const path of ['session', 'sync/status', 'explanations/status-counts', 'review/items', 'session/views'])
    await (await fetch(`${url}/api/v1/${path}`, { headers: { cookie: cookie.join('; ') } })).arrayBuffer();
}
