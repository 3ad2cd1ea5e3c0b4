/**
 * Checks made by tools, each run as a program of its own. A tool exits with success even when it read nothing, or not
 * everything: so each must list the files that it read.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import type { KnipReport } from './knip-reporter.ts';
import { codeFiles, FOLDERS, type Check } from './sources.ts';

interface Outcome {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** The tool could not do its work at all: wrong configuration, crash, no output. */
export class ToolError extends Error {
  constructor(tool: string, outcome: Outcome) {
    super(
      `${tool} did not work (exit code ${outcome.code}): ${(outcome.stderr + outcome.stdout).trim().slice(-2_000)}`,
    );
    this.name = 'ToolError';
  }
}

const MODULES = path.resolve(import.meta.dirname, '../../node_modules');

/** Settings of the tools lie beside this file, because the top level has no room for them. */
function settings(root: string, name: string): string {
  return path.join(root, 'test/checks', name);
}

/** A tool normally takes seconds. A tool that takes this long has run away, and would take the machine with it. */
const LIMIT_MS = 600_000;

/** Our folders and the settings at the top, by name: a tool that is let loose on `.` may stray into installed packages. */
export function placesToRead(root: string): string[] {
  return [...FOLDERS, 'package.json', 'tsconfig.json'].filter((name) => existsSync(path.join(root, name)));
}

const running = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of running) endGroup(child);
});

/** tsc is a small program that starts the real one: only ending the whole group ends both. */
function endGroup(child: ChildProcess): void {
  if (process.platform === 'win32' || child.pid === undefined) child.kill('SIGKILL');
  else process.kill(-child.pid, 'SIGKILL');
}

/** Runs a script of a package of ours on this very Node, in `root`. */
export function runTool(root: string, script: string, args: string[]): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    const env = { ...process.env, NO_COLOR: '1', FORCE_COLOR: undefined };
    const child = spawn(process.execPath, [path.join(MODULES, script), ...args], {
      cwd: root,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: process.platform !== 'win32',
    });
    running.add(child);
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    const limit = setTimeout(() => {
      stderr += `ended after ${LIMIT_MS / 1000} s`;
      endGroup(child);
    }, LIMIT_MS);
    child.on('error', reject);
    child.on('close', (code) => {
      clearTimeout(limit);
      running.delete(child);
      // Some tools colour their output where they detect a CI, despite NO_COLOR.
      resolve({ code, stdout: stripVTControlCharacters(stdout), stderr: stripVTControlCharacters(stderr) });
    });
  });
}

export const format: Check = {
  name: 'format',
  run: async (root) => {
    const wanted = codeFiles(root).length;
    const outcome = await runTool(root, 'oxfmt/bin/oxfmt', [
      '--check',
      '-c',
      settings(root, 'oxfmt.json'),
      '--disable-nested-config',
      ...placesToRead(root),
    ]);
    const read = Number(/ on (\d+) files?\b/.exec(outcome.stdout)?.[1] ?? Number.NaN);
    if (!(read >= 0)) throw new ToolError('oxfmt', outcome);
    const unformatted = outcome.stdout.split('\n').filter((line) => /^\S+ \(\d+m?s\)$/.test(line));
    if ((outcome.code === 0) !== (unformatted.length === 0)) throw new ToolError('oxfmt', outcome);
    const problems = unformatted.map((line) => `${line.replace(/ \(.*/, '')} is not formatted: run "npm run format"`);
    return { read, problems: [...problems, ...fewerThan(wanted, read, 'oxfmt')] };
  },
};

interface LintReport {
  number_of_files: number;
  diagnostics: {
    message: string;
    code: string;
    filename: string;
    severity: string;
    labels: { span: { line: number } }[];
  }[];
}

export const lint: Check = {
  name: 'lint',
  run: async (root) => {
    const wanted = codeFiles(root).length;
    const args = [
      '-c',
      settings(root, 'oxlint.json'),
      '--disable-nested-config',
      '--type-aware',
      '--deny-warnings',
      '-f',
      'json',
      ...placesToRead(root),
    ];
    const outcome = await runTool(root, 'oxlint/bin/oxlint', args);
    const report = parse<LintReport>('oxlint', outcome);
    const problems = report.diagnostics.map(
      (one) => `${one.filename}:${one.labels[0]?.span.line ?? 1} ${one.message} [${one.code}]`,
    );
    if ((outcome.code === 0) !== (problems.length === 0)) throw new ToolError('oxlint', outcome);
    return {
      read: report.number_of_files,
      problems: [...problems, ...fewerThan(wanted, report.number_of_files, 'oxlint')],
    };
  },
};

export const types: Check = {
  name: 'types',
  run: async (root) => {
    const ours = codeFiles(root).filter((file) => /\.[cm]?tsx?$/.test(file));
    const outcome = await runTool(root, 'typescript/bin/tsc', ['-p', '.', '--listFiles', '--pretty', 'false']);
    const lines = outcome.stdout.split('\n').filter((line) => line.trim() !== '');
    const listed = new Set(
      lines.filter((line) => path.isAbsolute(line)).map((line) => path.relative(root, line).split(path.sep).join('/')),
    );
    const problems = lines.filter((line) => !path.isAbsolute(line));
    if ((outcome.code === 0) !== (problems.length === 0)) throw new ToolError('tsc', outcome);
    const unread = ours.filter((file) => !listed.has(file));
    return {
      read: ours.length - unread.length,
      problems: [...problems, ...unread.map((file) => `${file} is not part of tsconfig.json`)],
    };
  },
};

export const deadCode: Check = {
  name: 'dead code',
  run: async (root) => {
    const wanted = codeFiles(root).length;
    const reporter = path.join(import.meta.dirname, 'knip-reporter.ts');
    const args = ['-c', settings(root, 'knip.json'), '--reporter', reporter, '--no-progress', '--no-config-hints'];
    const outcome = await runTool(root, 'knip/bin/knip.js', args);
    const { processed, problems } = parse<KnipReport>('knip', outcome);
    if ((outcome.code === 0) !== (problems.length === 0)) throw new ToolError('knip', outcome);
    return { read: processed, problems: [...problems, ...fewerThan(wanted, processed, 'knip')] };
  },
};

function fewerThan(wanted: number, read: number, tool: string): string[] {
  return read >= wanted
    ? []
    : [`${tool} read ${read} files, but the project has ${wanted}: see what its settings leave out`];
}

function parse<T>(tool: string, outcome: Outcome): T {
  try {
    return JSON.parse(outcome.stdout) as T;
  } catch {
    throw new ToolError(tool, outcome);
  }
}
