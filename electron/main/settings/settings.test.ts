import { beforeAll, describe, expect, test } from 'vitest';
import { makeAuthority } from '../../../test/support/pki.ts';
import {
  lacksTenant,
  NOTHING_CHOSEN,
  readSettings,
  settingsProblems,
  variablesOf,
  type ProgramSettings,
} from './settings.ts';

let authority: string;
beforeAll(async () => {
  authority = (await makeAuthority()).ca;
});

const local: ProgramSettings = { ...NOTHING_CHOSEN, console: { mode: 'local', intake: null, provision: null } };
const connected = (address: string, pem = authority): ProgramSettings => ({
  ...NOTHING_CHOSEN,
  console: { mode: 'connected', address, authority: pem },
});
const intake = {
  upstream: 'https://relay.firm.example:4200',
  certificate: '/c',
  key: '/k',
  authority: '/ca',
  verifyKey: '/v',
  tenant: '7',
};

describe('the settings file', () => {
  test('is read as it was written', () => {
    for (const settings of [
      local,
      connected('https://console.firm.example:4300'),
      connected('http://127.0.0.1:4300', ''),
      {
        console: { mode: 'local', intake, provision: '0.0.0.0:4310' },
        updates: { feed: 'http://localhost:8/x/', authority: '' },
        contentProtection: true,
        keepRunning: true,
        lockMinutes: 0,
      },
    ] satisfies ProgramSettings[])
      expect(readSettings(JSON.stringify(settings))).toEqual(settings);
  });

  test('also from an earlier version', () => {
    expect(readSettings('{"console":null,"updates":null}')).toEqual(NOTHING_CHOSEN);
    const before = { upstream: intake.upstream, certificate: '/c', key: '/k', authority: '/ca' };
    const console = { mode: 'local', intake: before, provision: null };
    expect(readSettings(JSON.stringify({ console, updates: null }))?.console).toEqual({
      ...console,
      intake: { ...before, verifyKey: '', tenant: '' },
    });
  });

  test.each([
    '',
    'null',
    '{}',
    '{"console":{"mode":"local"},"updates":null}',
    '{"console":{"mode":"elsewhere"},"updates":null}',
    '{"console":{"mode":"local","intake":null,"provision":null,"more":1},"updates":null}',
    '{"console":{"mode":"connected","address":"http://console.firm.example","authority":""},"updates":null}',
    `{"console":{"mode":"connected","address":"https://c.example","authority":"${'x'.repeat(200_000)}"},"updates":null}`,
  ])('is not believed when it does not fit: %s', (text) => {
    expect(readSettings(text)).toBeNull();
  });
});

describe('a setting that has to be corrected', () => {
  test.each([
    'console.firm.example',
    'http://console.firm.example',
    'https://console.firm.example/path',
    'https://user:secret@console.firm.example',
    'file:///etc/passwd',
    'javascript:alert(1)',
    '',
  ])('an address that is none: %s', (address) => {
    expect(settingsProblems(connected(address))).toEqual(['address']);
  });

  test('another host without a pinned authority, and an authority without a certificate to check', () => {
    expect(settingsProblems(connected('https://console.firm.example', ''))).toEqual(['authority']);
    expect(settingsProblems(connected('https://console.firm.example', 'no PEM'))).toEqual(['authority']);
    expect(settingsProblems(connected('http://127.0.0.1:4300'))).toEqual(['authority']);
  });

  test('each field has its own message', () => {
    expect(
      settingsProblems({
        ...NOTHING_CHOSEN,
        console: {
          mode: 'local',
          intake: { ...intake, upstream: 'http://relay.firm.example', key: '', tenant: '07' },
          provision: 'here',
        },
        updates: { feed: 'https://feed.firm.example/console/', authority: '' },
      }),
    ).toEqual(['upstream', 'intake-files', 'tenant', 'provision', 'feed-authority']);
    expect(settingsProblems({ ...local, updates: { feed: 'ftp://feed', authority: '' } })).toEqual(['feed']);
  });
});

test('a newly chosen Intake names its tenant; an earlier choice without one may stay', () => {
  const asking = (tenant: string): ProgramSettings => ({
    ...NOTHING_CHOSEN,
    console: { mode: 'local', intake: { ...intake, tenant }, provision: null },
  });
  for (const before of [NOTHING_CHOSEN, local, connected('https://console.firm.example:4300'), asking('7')])
    expect(lacksTenant(asking(''), before)).toBe(true);
  expect(lacksTenant(asking(''), asking(''))).toBe(false);
  for (const asked of [asking('7'), local, connected('https://console.firm.example:4300')])
    expect(lacksTenant(asked, NOTHING_CHOSEN)).toBe(false);
  for (const tenant of ['0', '-1', '1.5', 'x', '9007199254740993'])
    expect([tenant, settingsProblems(asking(tenant))]).toEqual([tenant, ['tenant']]);
});

test('services get only the chosen settings', () => {
  expect(variablesOf({ mode: 'local', intake: null, provision: null })).toEqual({});
  expect(
    variablesOf({ mode: 'local', intake: { ...intake, certificate: '', key: '' }, provision: '127.0.0.1:0' }),
  ).toEqual({
    CAUSEWAY_INTAKE_UPSTREAM: intake.upstream,
    CAUSEWAY_INTAKE_CA: '/ca',
    CAUSEWAY_INTAKE_VERIFY_KEY: '/v',
    CAUSEWAY_INTAKE_TENANT: '7',
    CAUSEWAY_PROVISION_LISTEN: '127.0.0.1:0',
  });
});
