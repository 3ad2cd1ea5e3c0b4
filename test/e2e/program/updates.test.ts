/** Updates of the packed program: off until a feed is configured; then only releases signed by the pinned key. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { testSigning } from '../../../electron/packaging/release/release-key.ts';
import { signRelease } from '../../../electron/packaging/release/sign-release.ts';
import { waitFor } from '../../support/process.ts';
import { deepTest } from '../../support/runs.ts';
import { answerPage, choose, clickAway, ProgramFixture, StandIn, type Program } from '../program-fixture.ts';

const fixture = new ProgramFixture();
const GOOD = 'a new version of the program';
const METADATA = 'release-linux-x64.json';
const UPDATES = {
  en: { LANGUAGE: 'en', LANG: 'en_US.UTF-8', menu: 'Check for Updates' },
  ko: { LANGUAGE: 'ko', LANG: 'ko_KR.UTF-8', menu: '업데이트 확인' },
} as const;

let folder: string;
let elsewhere: StandIn;
let server: StandIn;
/** Answers of the feed instead of its folder, by name; `redirect`: redirects the caller. */
let served: Record<string, string>;
/** The program's download folder. */
let cache: string;
let data: string;

beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'causeway-feed-'));
  [served, cache, data] = [{}, fixture.folder(), fixture.folder()];
  elsewhere = await new StandIn((_request, response) => answerPage(response, 'elsewhere')).start();
  server = await new StandIn((request, response) => {
    const name = path.basename(request.url ?? '');
    const file = path.join(folder, name);
    if (served[name] === 'redirect') response.writeHead(302, { location: `${elsewhere.url}/${name}` }).end();
    else if (served[name] !== undefined) response.end(served[name]);
    else if (existsSync(file)) response.end(readFileSync(file));
    else response.writeHead(404).end();
  }).start();
});
afterEach(async () => {
  await fixture.clear();
  await Promise.all([server.stop(), elsewhere.stop()]);
  rmSync(folder, { recursive: true, force: true });
});

/** Publishes a release in the feed, replacing any earlier one. */
async function offer(version: string, key: KeyObject, terms: { channel?: string; now?: Date } = {}): Promise<void> {
  for (const name of readdirSync(folder)) rmSync(path.join(folder, name));
  writeFileSync(path.join(folder, `Causeway-${version}.AppImage`), GOOD);
  await signRelease(folder, key, {
    version,
    platform: 'linux-x64',
    channel: 'test',
    now: new Date(),
    days: 30,
    ...terms,
  });
}

async function launch(language: 'en' | 'ko', feed: string | null): Promise<Program> {
  const updates = feed === null ? null : { feed, authority: '' };
  const console = { mode: 'connected', address: elsewhere.url, authority: '' };
  writeFileSync(path.join(data, 'settings.json'), JSON.stringify({ console, updates }));
  const { LANGUAGE, LANG } = UPDATES[language];
  const program = await fixture.launch({
    ...{ LANGUAGE, LANG, CAUSEWAY_CONSOLE_DATA: data, XDG_CACHE_HOME: cache },
    // The variable that an AppImage sets for itself; a checkout's folder would not update itself.
    APPIMAGE: path.join(data, 'Causeway.AppImage'),
  });
  await program.log('window shown');
  await program.app.evaluate(({ dialog }) => {
    const told: string[] = [];
    Object.assign(globalThis, { told });
    Object.assign(dialog, {
      showMessageBox: async (options: Electron.MessageBoxOptions) => {
        told.push([options.message, options.detail ?? ''].join(' | '));
        return { response: 0, checkboxChecked: false };
      },
    });
  });
  return program;
}

/** The program's dialog after a check for updates. */
async function checkForUpdates(program: Program, language: 'en' | 'ko' = 'en'): Promise<string> {
  const before = (await told(program)).length;
  await choose(program, UPDATES[language].menu);
  return waitFor('what becomes of the look', async () => (await told(program))[before]);
}

/** The program's dialogs so far. */
const told = (program: Program): Promise<string[]> =>
  program.app.evaluate(() => (globalThis as unknown as { told: string[] }).told);

const downloaded = (): string[] => {
  const pending = path.join(cache, 'causeway-updater', 'pending');
  return existsSync(pending) ? readdirSync(pending).filter((name) => name.endsWith('.AppImage')) : [];
};

test('off until a feed is configured; then from it only, and only a signed release', async () => {
  const { key, next } = testSigning();
  const program = await launch('en', null);
  expect(await checkForUpdates(program)).toContain('Update checks are turned off.');
  expect(server.asked).toEqual([]);

  // Turned on in the settings; a refusal is reported without a request.
  await offer('9.9.9', generateKeyPairSync('ed25519').privateKey);
  const [settings] = await Promise.all([
    program.app.waitForEvent('window'),
    choose(program, 'Settings of This Computer'),
  ]);
  await settings.getByLabel("Look for new versions on the firm's update server").check();
  await settings.getByLabel('Address of the update server').fill(`${server.url}/console/`);
  await clickAway(settings, 'Save and start');
  const sentence = await waitFor('the refusal', async () => (await told(program))[1]);
  expect(sentence).toMatch(
    /^The update was not accepted\. \| release-linux-x64\.json is not signed by the vendor's release key /,
  );
  await offer('0.1.0', key);
  expect(await checkForUpdates(program)).toContain('You have the latest version.');

  await offer('9.9.9', key);
  served['Causeway-9.9.9.AppImage'] = 'another file of some length..';
  expect(await checkForUpdates(program)).toBe(
    'The update was not accepted. | Causeway-9.9.9.AppImage differs in size or hash from what the release 9.9.9 says.',
  );
  expect(downloaded()).toEqual([]);

  served['Causeway-9.9.9.AppImage'] = 'redirect';
  elsewhere.asked = [];
  expect(await checkForUpdates(program)).toMatch(
    /^The update was not accepted\. \| Causeway-9\.9\.9\.AppImage did not come: /,
  );
  expect(elsewhere.asked).toEqual([]);

  // The next key is trusted like the current one.
  served = {};
  await offer('9.9.9', next);
  expect(await checkForUpdates(program)).toContain('Version 9.9.9 is ready to install.');
  expect(downloaded()).toEqual(['Causeway-9.9.9.AppImage']);
  expect(readFileSync(path.join(cache, 'causeway-updater', 'pending', 'Causeway-9.9.9.AppImage'), 'utf8')).toBe(GOOD);
  expect(existsSync(path.join(data, 'Causeway.AppImage'))).toBe(false);
  expect(program.logged('update refused')).toHaveLength(3);
});

deepTest(
  'a release that is not the vendor’s newest is refused in one sentence, in the window and the log',
  async () => {
    const { key } = testSigning();
    await offer('9.9.9', generateKeyPairSync('ed25519').privateKey);
    const program = await launch('ko', `${server.url}/`);
    const refused = await program.log('update refused');
    expect(refused).toMatchObject({ code: 'SIGNATURE' });
    expect(refused['reason']).toMatch(/^release-linux-x64\.json is not signed by the vendor's release key \(/);
    expect(await checkForUpdates(program, 'ko')).toMatch(
      /^업데이트를 받지 않았습니다\. \| 공급사 배포 키\(.+\)의 서명이 아닙니다: release-/,
    );

    await offer('9.9.9', key, { channel: 'stable' });
    expect(await checkForUpdates(program, 'ko')).toContain(
      '다른 배포 채널의 배포본입니다: stable (이 프로그램: test).',
    );
    await offer('9.9.9', key, { now: new Date(Date.now() - 31 * 24 * 60 * 60 * 1_000) });
    expect(await checkForUpdates(program, 'ko')).toContain('배포본 9.9.9의 유효 기간이');
    await offer('0.0.9', key);
    expect(await checkForUpdates(program, 'ko')).toContain('설치된 버전(0.1.0)보다 오래된 배포본입니다: 0.0.9.');
    served[METADATA] = ' '.repeat(200_000);
    expect(await checkForUpdates(program, 'ko')).toContain('파일이 허용 크기(65536바이트)를 넘습니다');
    served = {};

    await offer('9.9.9', key);
    expect(await checkForUpdates(program, 'ko')).toContain('새 버전(9.9.9)을 설치할 준비가 되었습니다.');
    await program.app.close();
    await program.part.exited;
    // The newest seen release is known after a restart.
    await offer('9.9.8', key);
    const again = await launch('ko', `${server.url}/`);
    expect(await checkForUpdates(again, 'ko')).toContain('보다 오래되었습니다: 9.9.8');
  },
);
