/**
 * Fault 30 at the console API: on a full disk people can log in, read and stop texts, and get the reason for other
 * refusals (D141).
 */
import { execFileSync, spawnSync } from 'node:child_process';
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  rmSync,
  statSync,
  truncateSync,
  writeSync,
} from 'node:fs';
import path from 'node:path';
import { afterAll, afterEach, expect, test } from 'vitest';
import { applyNext } from '../../../agent/intake/apply/apply.ts';
import { BatchSize } from '../../../agent/intake/apply/batch-size.ts';
import { WaitingWithdrawals } from '../../../agent/intake/apply/withdrawals.ts';
import { applyTelling } from '../../../agent/intake/ledger-faults.ts';
import { verifyLedger } from '../../../agent/intake/maintenance/verify.ts';
import { commitEntries, invalidationAt, newAt, partsOn, takeIn } from '../../support/agent/intake.ts';
import { readCursors } from '../../../agent/ledger/inbox/raw-bundles.ts';
import { DecisionJournal } from '../../../agent/ledger/journal/journal.ts';
import { addNote } from '../../../agent/ledger/review/notes.ts';
import { publishPolicy } from '../../../agent/ledger/policy/versions.ts';
import { openChannel } from '../../../agent/ledger/serving/channels.ts';
import { exposedExplanation } from '../../../agent/ledger/serving/visibility.ts';
import { LedgerFullError } from '../../../agent/ledger/storage/errors.ts';
import { openLedger } from '../../../agent/ledger/storage/ledger.ts';
import { newEntry, receive } from '../../support/agent/ledger.ts';
import { NEXT_RELEASE, PRESENT } from '../../support/agent/next-release.ts';
import { SEED_POLICY } from '../../../agent/screening/seed/seed-policy.ts';
import { startService } from '../../support/console-api/service.ts';
import { systemClock } from '../../../shared/time/clock.ts';
import { TestFixture, waitFor, type Part } from '../../support/process.ts';

const fixture = new TestFixture();
const canMount =
  process.platform === 'linux' && process.getuid?.() === 0 && spawnSync('unshare', ['-m', 'true']).status === 0;
let mounted: string | null = null;
afterEach(() => {
  if (mounted !== null) spawnSync('umount', ['-l', mounted]);
  mounted = null;
});
afterAll(async () => {
  await fixture.clear();
});

function fill(file: string): void {
  const handle = openSync(file, 'w');
  try {
    for (let size = 65_536; size >= 512;) {
      try {
        writeSync(handle, Buffer.alloc(size, 1));
      } catch {
        size /= 2;
      }
    }
  } finally {
    closeSync(handle);
  }
}

test.skipIf(!canMount)('no space: 503 with the reason, and a login and a stop are made', async () => {
  mounted = path.join(fixture.folder('full'), 'disk');
  mkdirSync(mounted);
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=48m', 'tmpfs', mounted]);
  const file = path.join(mounted, 'ledger.sqlite');
  const service = await startService({ ledger: file, demo: true, reserveBytes: 4 * 1024 * 1024 });
  const ledger = openLedger(file);
  try {
    const at = new Date().toISOString();
    const [shown, waiting] = ledger.write((tx) => {
      publishPolicy(tx, { snapshot: SEED_POLICY, changes: [], actor: { kind: 'SYSTEM' }, at });
      return [receive(tx, newEntry('a'), 'AUTO_PUBLISHED'), receive(tx, newEntry('b'))];
    });
    const logIn = () =>
      fetch(`${service.url}/api/v1/auth/login`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ username: 'reviewer', password: 'causeway-demo' }),
      });
    let cookie = (await logIn()).headers.get('set-cookie')?.split(';')[0] ?? '';
    const ask = async (method: string, url: string, body?: object) => {
      const headers = { cookie, ...(body === undefined ? {} : { 'content-type': 'application/json' }) };
      const sent = body === undefined ? {} : { body: JSON.stringify(body) };
      const answer = await fetch(`${service.url}/api/v1${url}`, { method, headers, ...sent });
      return { status: answer.status, told: await answer.text() };
    };
    const note = () => ask('POST', `/review/items/${waiting}/notes`, { text: '메모 '.repeat(300) });
    expect((await note()).status).toBe(200);
    await waitFor('the reserve', () => existsSync(`${file}.reserve`));
    const ballast = path.join(mounted, 'ballast');
    fill(ballast);
    // Free room in the ledger's own pages is used first.
    let refused = await note();
    for (let more = 0; refused.status === 200 && more < 2_000; more++) refused = await note();
    expect([refused.status, refused.told]).toEqual([503, expect.stringContaining('no free space left')]);
    expect(refused.told).not.toContain(mounted);
    expect(existsSync(`${file}.reserve`)).toBe(false);
    const again = await logIn();
    expect(again.status).toBe(200);
    cookie = again.headers.get('set-cookie')?.split(';')[0] ?? '';
    expect((await ask('GET', `/explanations/${shown}`)).status).toBe(200);
    expect((await ask('POST', `/explanations/${shown}/stop`, { reason: '수치 불일치' })).status).toBe(200);
    expect((await note()).status).toBe(503);
    // The room is for people: the Intake takes none of it.
    expect(() => applyTelling(ledger, systemClock, () => true)).toThrow(LedgerFullError);
    rmSync(ballast);
    expect((await note()).status).toBe(200);
    expect([existsSync(`${file}.reserve`), existsSync(`${file}.full`)]).toEqual([true, false]);
    expect(applyTelling(ledger, systemClock, () => true)).toBe(true);
  } finally {
    ledger.close();
    await service.stop();
  }
});

test.skipIf(!canMount)(
  'when room comes for little, what the vendor withdrew is taken off before the rest (D169)',
  () => {
    mounted = path.join(fixture.folder('full-intake'), 'disk');
    mkdirSync(mounted);
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=96m', 'tmpfs', mounted]);
    const ledger = openLedger(path.join(mounted, 'ledger.sqlite'));
    try {
      const parts = { ...partsOn(ledger), batch: new BatchSize(), withdrawals: new WaitingWithdrawals() };
      const at = new Date().toISOString();
      ledger.write((tx) => openChannel(tx, { channel: 'MTS', key: 'k', at }));
      takeIn(parts, newAt(1, 'a', { summary: '지수가 올랐습니다.' }));
      const exposedText = () => exposedExplanation(ledger, '069500', 'MTS', new Date())?.text;
      expect(exposedText()).toBe('지수가 올랐습니다.');
      const many = Array.from({ length: 400 }, (_, index) =>
        newAt(index + 2, `b${index}`, { summary: '반도체 '.repeat(900), etf_ticker: '102110' }),
      );
      commitEntries(ledger, [...many, invalidationAt(402, 'a')], at);
      const ballast = path.join(mounted, 'ballast');
      fill(ballast);
      const step = (): boolean => applyTelling(ledger, systemClock, () => applyNext(parts));
      // The log may have kept some room; then the withdrawal was made in it.
      expect(step).toThrow(LedgerFullError);
      truncateSync(ballast, statSync(ballast).size - 256 * 1024);
      expect(step).toThrow(LedgerFullError);
      expect([exposedText(), readCursors(ledger).applied]).toEqual([undefined, 1]);
      rmSync(ballast);
      while (step());
      expect(readCursors(ledger).applied).toBe(402);
      expect(verifyLedger(ledger).findings).toEqual([]);
    } finally {
      ledger.close();
    }
  },
);

test.skipIf(!canMount)(
  'a ledger whose copy finds no room is not migrated, and is when there is room (D170)',
  async () => {
    mounted = path.join(fixture.folder('full-upgrade'), 'disk');
    mkdirSync(mounted);
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=24m', 'tmpfs', mounted]);
    const file = path.join(mounted, 'ledger.sqlite');
    openLedger(file).close();
    const ballast = path.join(mounted, 'ballast');
    fill(ballast);
    truncateSync(ballast, statSync(ballast).size - 256 * 1024);
    const migrate = (): Part =>
      fixture.start('agent/intake/main.ts', { args: ['migrate'], env: { CAUSEWAY_LEDGER: file, ...NEXT_RELEASE } });
    await migrate().output(/a copy is made beside it, which takes \d+ MB, and 1 MB are free/);
    expect(readdirSync(mounted).filter((name) => name.includes('schema'))).toEqual([]);
    rmSync(ballast);
    await migrate().output(`Migrated from schema version ${PRESENT} to`);
    expect(existsSync(`${file}.schema-${PRESENT}`)).toBe(true);
  },
);

test.skipIf(!canMount)(
  'a journal that takes nothing is not read at each try: its reading would hold up the stops',
  async () => {
    mounted = path.join(fixture.folder('full-journal'), 'disk');
    mkdirSync(mounted);
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', mounted]);
    const ledger = openLedger(path.join(path.dirname(mounted), 'ledger.sqlite'));
    const log = { info: () => undefined, error: () => undefined };
    const journal = await DecisionJournal.open({ ledger, folder: mounted, mode: 'require', log });
    try {
      const [item] = ledger.write((tx) => [receive(tx, newEntry('a'))]);
      // A directory cannot be read as a segment.
      mkdirSync(path.join(mounted, 'segment-000099.jsonl'));
      fill(path.join(mounted, 'filler'));
      const actor = { kind: 'MEMBER', id: 'm', displayName: '심사자', role: 'COMPLIANCE_REVIEWER' } as const;
      // The page of the segment's end has some room.
      for (let more = 0; journal.failure === null && more < 20; more += 1) {
        const at = new Date().toISOString();
        ledger.write((tx) => addNote(tx, { id: item, text: '메모 '.repeat(300), actor, at }));
        await journal.flush();
      }
      for (let tries = 0; tries < 3; tries += 1) {
        expect(journal.failure).toMatchObject({ code: 'ENOSPC' });
        await journal.flush();
      }
      rmSync(path.join(mounted, 'filler'));
      rmSync(path.join(mounted, 'segment-000099.jsonl'), { recursive: true });
      await journal.flush();
      expect([journal.failure, journal.waiting]).toEqual([null, 0]);
      expect(readdirSync(mounted).filter((name) => !name.startsWith('segment-'))).toEqual([]);
    } finally {
      await journal.stop();
      ledger.close();
    }
  },
);
