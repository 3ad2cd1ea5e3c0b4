/**
 * Follows the administrators' guides literally: every command, option and variable exists, the vendor's rotation runs
 * line by line, and the certificates between two hosts match the page.
 */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { makeKey, makeRequest } from '../../../agent/relay/certificate-request.ts';
import { runAgent } from '../../../agent/operations/agent.ts';
import { VERIFY_DOSSIER } from '../../../agent/operations/dossier/command.ts';
import { PACKAGE_HELP } from '../../../cloud/operations/install/package-command.ts';
import { commandWith } from '../../support/cloud/command.ts';
import { sharedPostgres } from '../../support/shared-postgres.ts';
import { entryOf, PROJECT, TestFixture } from '../../support/process.ts';

const fixture = new TestFixture();
afterAll(() => fixture.clear());

const GUIDES = ['agent/operations/guide', 'cloud/operations/guide'].flatMap((folder) =>
  readdirSync(path.join(PROJECT, folder)).map((name) => `${folder}/${name}`),
);
const textOf = (guide: string): string => readFileSync(path.join(PROJECT, guide), 'utf8');
/** The blocks of shell commands of a page, without the indentation of a list. */
const blocksOf = (guide: string): string[] =>
  Array.from(textOf(guide).matchAll(/^( *)```sh\n(.*?)^ *```/gms), ([, indent = '', block = '']) =>
    block.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
  );
const linesOf = (guide: string): string[] => blocksOf(guide).flatMap((block) => block.trimEnd().split('\n'));
const wordsOf = (line: string): string[] =>
  Array.from(line.matchAll(/"([^"]*)"|(\S+)/g), ([, quoted, plain]) => quoted ?? plain ?? '');

/** The output of `--help` of each command line: read once, because each is a process. */
const help = { agent: '', cloud: '', intake: '', 'console-api': '', relay: '', provision: '' };
beforeAll(async () => {
  let out = '';
  const print = (line: string): void => void (out += `${line}\n`);
  const context = { env: {}, platform: process.platform, own: '/nowhere/agent.js', now: () => new Date() };
  await runAgent(['--help'], {}, { ...context, print, complain: print }, { 'verify-dossier': VERIFY_DOSSIER });
  help.agent = out;
  help.cloud = PACKAGE_HELP;
  for (const command of [[], ['init'], ['load']]) help.cloud += (await commandWith({}, ...command, '--help')).out;
  const scripts = { relay: 'agent', intake: 'agent', provision: 'agent', 'console-api': 'electron' } as const;
  for (const [part, folder] of Object.entries(scripts)) {
    const script = entryOf(`${folder}/${part}/main.ts`);
    help[part as keyof typeof scripts] = spawnSync(process.execPath, [script, '--help'], { encoding: 'utf8' }).stdout;
  }
}, 60_000);

test('every page has numbered steps, and is linked from the README of its folder', () => {
  expect(GUIDES.length).toBeGreaterThan(14);
  for (const guide of GUIDES) {
    expect([guide, /^(?:## )?1\. /m.test(textOf(guide))]).toEqual([guide, true]);
    const readme = guide.startsWith('cloud') ? 'cloud/README.md' : 'agent/operations/README.md';
    expect(textOf(readme)).toContain(guide.replace(`${path.posix.dirname(readme)}/`, '('));
  }
});

test('every command and option of the pages exists', () => {
  const unknown: string[] = [];
  let seen = 0;
  const hold = (kind: keyof typeof help, words: readonly string[], line: string): void => {
    seen += 1;
    // A command is one word or two: the usage lines show which.
    const [first = '', second = ''] = words;
    const [name] = help[kind].match(new RegExp(`^ *(?:causeway-(?:agent|cloud) )?${first}\\b.*`, 'm')) ?? [''];
    const isSecond = !name.includes('PART') && /^[a-z-]+$/.test(second);
    if (name === '' || (isSecond && !help[kind].includes(second))) unknown.push(`${kind}: ${line}`);
    for (const option of words.filter((word) => word.startsWith('--')))
      if (!help[kind].includes(option)) unknown.push(`${kind}: ${option} in ${line}`);
  };
  for (const line of GUIDES.flatMap(linesOf)) {
    const [, cloud] = /(?:bin\/|exec cloud )causeway-cloud ([^;>|]*)/.exec(line) ?? [];
    if (cloud !== undefined) hold('cloud', wordsOf(cloud), line);
    const [, agent] = /causeway-agent ([^;]*)/.exec(line) ?? [];
    if (agent === undefined) continue;
    const [own = '', passed] = agent.split(' -- ');
    hold('agent', wordsOf(own), line);
    const part = /^run (intake|console-api)$/.exec(own)?.[1];
    if (passed !== undefined && part !== undefined) hold(part as 'intake', wordsOf(passed), line);
  }
  expect(unknown).toEqual([]);
  expect(seen).toBeGreaterThan(50);
});

test('every variable of a page belongs to a part', () => {
  const variables = ['agent/intake/backup/backups.ts', 'agent/intake/backup/archive.ts'].map(textOf);
  const known = [...Object.values(help), ...variables].join('\n');
  for (const guide of GUIDES) {
    const named = Array.from(textOf(guide).matchAll(/\bCAUSEWAY_[A-Z_]+\b/g), ([name]) => name);
    const unknown = named.filter((name) => !known.includes(name) && name !== 'CAUSEWAY_TEST_WINE');
    expect([guide, unknown]).toEqual([guide, []]);
  }
});

test("the vendor's rotation runs as it is written", async () => {
  const postgres = await sharedPostgres();
  onTestFinished(() => postgres.stop());
  const vendor = fixture.folder('vendor');
  const variables = { CAUSEWAY_HOME: vendor, CAUSEWAY_DATABASE_URL: await postgres.createDatabase() };
  const request = path.join(vendor, 'relay.key.csr');
  writeFileSync(request, makeRequest(makeKey(), 'tenant'));
  const run = async (...words: string[]): Promise<string> => {
    const { code, out, err } = await commandWith(variables, ...words);
    expect({ words, code, err }).toEqual({ words, code: 0, err: '' });
    return out;
  };
  await run('init', '--tenant', 'Firm', '--host', 'sync.vendor.example');
  const issue = async (name: string): Promise<string> => {
    const out = await run('certificate', 'issue', '--tenant', '1', '--csr', request, '--name', name);
    return (JSON.parse(out) as { fingerprint: string }).fingerprint;
  };
  let present = await issue('relay-1');
  const lines = linesOf('cloud/operations/guide/rotation.md').map((line) => wordsOf(line).slice(2));
  expect(lines).toHaveLength(11);
  for (const words of lines) {
    // Step 3 of the authority: every tenant has a certificate of the next one before the earlier one is removed.
    if (words.join(' ') === 'authority retire') {
      const earlier = present;
      present = await issue('relay-3');
      expect((await commandWith(variables, ...words)).code).toBe(1);
      await run('certificate', 'revoke', '--fingerprint', earlier);
    }
    const earlier = present;
    const out = await run(...words.map((word) => ({ 'relay.key.csr': request, HEX: earlier })[word] ?? word));
    if (words[1] === 'issue') {
      const issued = (JSON.parse(out) as { fingerprint: string }).fingerprint;
      const at = lines.findIndex(([, act]) => act === 'revoke');
      lines[at] = ['certificate', 'revoke', '--fingerprint', earlier];
      present = issued;
    }
  }
}, 60_000);

test('the certificates between two hosts are made as it is written', () => {
  const folder = fixture.folder('inward');
  const [block = ''] = blocksOf('agent/operations/guide/two-hosts.md');
  const made = spawnSync('bash', ['-euc', block], { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  expect({ status: made.status, out: made.stdout }).toMatchObject({
    status: 0,
    out: expect.stringMatching(/^sha256 Fingerprint=[\dA-F:]{95}\n$/i) as string,
  });
  for (const name of ['inward-relay', 'intake', 'console', 'desktops']) {
    const purpose = ['intake', 'console'].includes(name) ? 'sslclient' : 'sslserver';
    const verify = ['verify', '-CAfile', 'inward.crt', '-purpose', purpose, `${name}.crt`];
    const verified = spawnSync('openssl', verify, { cwd: folder, encoding: 'utf8' });
    expect(verified.stdout).toBe(`${name}.crt: OK\n`);
  }
});
