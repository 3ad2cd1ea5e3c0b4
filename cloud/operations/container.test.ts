/** The files of the vendor's container as they lie in the project; `cloud-package.test.ts` tries them in the built package. */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { SMALL_NURSERY, UNIT_VARIABLES } from '../../shared/service/install/part.ts';
import { makeAuthority } from '../../test/support/pki.ts';
import { TestFixture } from '../../test/support/process.ts';
import { commandWith } from '../../test/support/cloud/command.ts';

const fixture = new TestFixture();
afterAll(() => fixture.clear());

const read = (name: string): string => readFileSync(join(import.meta.dirname, 'container', name), 'utf8');

test('the cloud knows each variable of the container, and their values fit', async () => {
  const [container, compose] = [read('Containerfile'), read('compose.yaml')];
  const folder = fixture.folder('container');
  const secret = (name: string, value: string): string => {
    writeFileSync(join(folder, name), `${value}\n`);
    return join(folder, name);
  };
  const variables = Object.fromEntries([
    ...Array.from(container.matchAll(/^ENV (CAUSEWAY_\w+)=(.*)$/gm), ([, name, value]) => [name, value]),
    ...Array.from(compose.matchAll(/^ +(CAUSEWAY_\w+): ["']?([^"'\n]*)["']?$/gm), ([, name, value]) => [name, value]),
    ['CAUSEWAY_OPERATOR_ORIGIN', 'https://ops.vendor.example'],
    ['CAUSEWAY_DATABASE_URL_FILE', secret('database_url', 'postgres://causeway:x@127.0.0.1:1/causeway')],
    ['CAUSEWAY_ENGINE_TOKEN_FILE', secret('engine_token', 'a'.repeat(64))],
  ]) as Record<string, string>;
  expect(Object.keys(variables).length).toBeGreaterThan(12);
  const { out: known } = await commandWith({}, '--help');
  for (const name of Object.keys(variables)) expect(known).toContain(`  ${name} `);
  const { out } = await commandWith(variables, 'doctor');
  expect(out).toContain('ok     settings: every variable is valid\n');
});

test('the container starts with the variables of a unit, and the guide names each secret', () => {
  const container = read('Containerfile');
  const [, flag] = JSON.parse(/^ENTRYPOINT (.*)$/m.exec(container)?.[1] ?? '[]') as string[];
  expect(flag).toBe(SMALL_NURSERY);
  for (const [name, value] of Object.entries(UNIT_VARIABLES)) expect(container).toContain(`ENV ${name}=${value}\n`);
  const guide = readFileSync(join(import.meta.dirname, 'guide/container.md'), 'utf8');
  const secrets = Array.from(read('compose.yaml').matchAll(/^ +file: \.\/(secrets\/.*)$/gm), ([, file = '']) => file);
  expect(secrets).toHaveLength(4);
  for (const file of secrets) expect(guide).toContain(file);
});

test("HAProxy accepts the proxy's configuration", async ({ skip }) => {
  if (spawnSync('haproxy', ['-v']).status !== 0) skip('NOT CHECKED: there is no haproxy here');
  const { server } = await makeAuthority();
  const pair = await server();
  const folder = fixture.folder('haproxy');
  writeFileSync(join(folder, 'proxy.pem'), `${pair.cert}\n${pair.key}`);
  const file = join(folder, 'checked.cfg');
  writeFileSync(file, read('haproxy.cfg').replaceAll('/run/secrets/proxy_pem', join(folder, 'proxy.pem')));
  const { status, stderr } = spawnSync('haproxy', ['-c', '-f', file], { encoding: 'utf8' });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
});
