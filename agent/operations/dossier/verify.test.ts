/** A dossier of a real ledger proves what it says, with the keys and checkpoints that a reader keeps. */
import { generateKeyPairSync } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { systemIds } from '../../../shared/time/clock.ts';
import { pemOf } from '../../../test/support/vendor-key.ts';
import { archiveRawBodies } from '../../intake/backup/archive.ts';
import { invalidationAt, newAt } from '../../../test/support/agent/intake.ts';
import { seedDemo } from '../../ledger/demo/seed.ts';
import { explanationId } from '../../ledger/explanations/explanations.ts';
import { archiveFiles } from '../../ledger/inbox/raw-archive.ts';
import { treesOf } from '../../../shared/service/checkpoints/checkpoint.ts';
import { storedTrees } from '../../../shared/service/checkpoints/schedule.ts';
import { dossierWithin } from '../../ledger/dossier/make.ts';
import { seal, unseal } from '../../ledger/dossier/container.ts';
import { PAGE, SHOWN, shownSchema } from '../../ledger/dossier/contents.ts';
import { dismissHit } from '../../ledger/review/dismissed-hits.ts';
import { applyMove } from '../../ledger/transitions.ts';
import { runAgent } from '../agent.ts';
import { VERIFY_DOSSIER } from './command.ts';
import { DossierFixture, IDS, REVIEWER, TICKER } from '../../../test/support/agent/dossier.ts';
import { verifyDossier, type Pinned } from './verify.ts';
import { some } from '../../../test/support/runs.ts';

let fixture: DossierFixture;
let all: Pinned;
beforeAll(() => {
  fixture = new DossierFixture();
  all = {
    vendor: [fixture.vendor.publicKey],
    tenant: [fixture.tenant.publicKey],
    checkpoints: { text: fixture.checkpoints },
  };
});
afterAll(() => fixture.close());

const NOTHING: Pinned = { vendor: null, tenant: null, checkpoints: null };
const FROM = '2026-11-20T05:00:00.000Z';
const another = () => generateKeyPairSync('ed25519').publicKey;
const linesOf = (bytes: Uint8Array, pinned: Pinned): string[] => [...verifyDossier(bytes, pinned)];
/** What no file proves; and the channel of a demo, which no person has set up. */
const ALWAYS = [
  expect.stringContaining('no file can prove that nothing was left out'),
  expect.stringContaining('channels (1): '),
];
const notChecked = (lines: readonly string[]): string[] => lines.filter((line) => line.startsWith('Not checked'));

test.each(Object.entries(IDS))(
  'the dossier of an explanation (%s) proves everything to a reader who keeps keys and checkpoints',
  async (_, id) => {
    const later = new DossierFixture();
    try {
      const bytes = await later.make({ kind: 'EXPLANATION', id });
      const lines = linesOf(bytes, {
        vendor: [another(), later.vendor.publicKey],
        tenant: [another(), later.tenant.publicKey],
        checkpoints: { text: later.checkpoints },
      });
      expect(notChecked(lines)).toEqual(ALWAYS);
      expect(lines).toContain('The vendor has signed the bytes of each of them.');
    } finally {
      later.close();
    }
  },
);

test('an approval has its number and its end in the dossier, which tells the day of the lapse too', async () => {
  const later = new DossierFixture();
  try {
    later.pass(3 * 86_400_000);
    const bytes = await later.make({ kind: 'EXPLANATION', id: IDS.edited });
    expect(notChecked(linesOf(bytes, NOTHING))).not.toEqual([]);
    const { files } = unseal(bytes);
    const shown = shownSchema.parse(JSON.parse(Buffer.from(files.get(SHOWN) ?? []).toString()));
    const told = shown.flatMap(({ spans }) => spans).map(({ from, showing, causes }) => ({ from, showing, causes }));
    expect(told.slice(-2)).toMatchObject([
      { showing: { state: 'GIVEN', id: IDS.edited, approvalNumber: '제2026-00002호' } },
      {
        from: '2026-11-20T15:00:00.000Z',
        showing: { state: 'NOTHING', reason: 'LAPSED' },
        causes: [{ kind: 'LAPSED', id: IDS.edited }],
      },
    ]);
    expect(Buffer.from(files.get(PAGE) ?? []).toString()).toContain('심사필 번호 / Approval number: 제2026-00002호');
  } finally {
    later.close();
  }
});

test('a change that was recorded while the clock was a day ahead leaves the dossier true, and is named', async () => {
  const later = new DossierFixture();
  try {
    later.pass(86_400_000);
    const ahead = later.at;
    const act = { id: IDS.edited, actor: REVIEWER, at: ahead } as const;
    later.ledger.write((tx) =>
      applyMove(tx, { ...act, move: 'correct', editedSummary: '반도체 수출로 올랐습니다.', reason: '정정' }),
    );
    later.pass(60_000 - 86_400_000);
    const lines = linesOf(await later.make({ kind: 'EXPLANATION', id: IDS.edited }), NOTHING);
    expect(notChecked(lines)).toContainEqual(expect.stringContaining(`what was shown from ${ahead} on (1 changes`));
    const span = await later.make({ kind: 'SPAN', ticker: TICKER, from: FROM, to: later.at });
    expect(() => linesOf(span, NOTHING)).not.toThrow();
  } finally {
    later.close();
  }
});

const WRONG: [string, number][] = [
  ['back', -86_400_000],
  ['ahead', 86_400_000],
];

test.each(some(1, WRONG))(
  'rows and bundles that a clock has dated a day %s hide no other from the search by time',
  async (_, wrong) => {
    const later = new DossierFixture({ begin: (ledger, now) => seedDemo(ledger, { now: () => now }, systemIds) });
    try {
      later.receive(newAt(5, 'late'));
      later.pass(wrong);
      for (let cursor = 6; cursor < 30; cursor += 1) later.receive(newAt(cursor, `wrong-${cursor}`));
      later.pass(-wrong);
      later.receive(invalidationAt(30, 'late'));
      later.receive(newAt(31, 'right'));
      for (const id of [IDS.gone, explanationId('late')]) {
        const bytes = await later.make({ kind: 'EXPLANATION', id });
        expect(() => linesOf(bytes, NOTHING)).not.toThrow();
      }
    } finally {
      later.close();
    }
  },
);

test('the dossier of a ticker and a span tells what was shown, with each change and its cause', async () => {
  const bytes = await fixture.make({ kind: 'SPAN', ticker: TICKER, from: FROM, to: fixture.at });
  expect(() => linesOf(bytes, all)).not.toThrow();
  const [only] = shownSchema.parse(JSON.parse(Buffer.from(unseal(bytes).files.get(SHOWN) ?? []).toString()));
  const told = only?.spans.map(({ showing }) =>
    showing.state === 'GIVEN' ? showing.text : showing.state === 'NOTHING' ? showing.reason : showing.reason,
  );
  expect(told).toEqual([
    'NOTHING_YET',
    '반도체 업종의 수출 증가 소식에 지수가 올랐습니다.',
    '반도체 수출이 늘었습니다.',
    'SCOPE',
    '반도체 수출이 늘었습니다.',
    '반도체 수출 증가로 올랐습니다.',
  ]);
});

test('after a change of the key a dossier still leads to checkpoints of the earlier key', async () => {
  const own = new DossierFixture();
  try {
    const folder = path.join(own.folder, 'share');
    mkdirSync(folder);
    writeFileSync(path.join(folder, 'console_action_log.earlier.jsonl'), own.checkpoints);
    writeFileSync(path.join(folder, 'operator_log.x.jsonl'), 'of another log');
    const trees = await storedTrees(folder, 'console_action_log');
    expect(trees.map(({ rows }) => rows)).toEqual(treesOf(own.checkpoints).map(({ rows }) => rows));
    const { privateKey, publicKey } = generateKeyPairSync('ed25519');
    const about = { now: own.now, madeBy: 'x', key: privateKey, checkpoints: trees };
    const bytes = own.ledger.read((reader) => dossierWithin(reader, { kind: 'EXPLANATION', id: IDS.edited }, about));
    const kept = { text: own.checkpoints };
    const pins = { vendor: [own.vendor.publicKey], tenant: [publicKey, own.tenant.publicKey], checkpoints: kept };
    expect(linesOf(bytes, pins).some((line) => /^[1-9]\d* rows lead to a checkpoint of the file/.test(line))).toBe(
      true,
    );
    const without = notChecked(linesOf(bytes, { ...pins, tenant: [publicKey], checkpoints: null }));
    expect(without.join(' ')).toContain('earlier public key');
    expect(await storedTrees(path.join(own.folder, 'none'), 'console_action_log')).toEqual([]);
  } finally {
    own.close();
  }
});

test('the page marks the words that the screening found, and tells which were dismissed as false and why', async () => {
  const own = new DossierFixture();
  own.receive(newAt(5, 'found', { summary: '<지금은 매수> 시점이고 다음도 매수 시점입니다.' }));
  const id = explanationId('found');
  own.ledger.write((tx) =>
    dismissHit(tx, { id, wordId: 'word-buy', reason: '수급 설명', actor: REVIEWER, at: own.at }),
  );
  own.pass(60_000);
  own.keepCheckpoint();
  const bytes = await own.make({ kind: 'EXPLANATION', id });
  const page = Buffer.from(unseal(bytes).files.get(PAGE) ?? '').toString();
  expect(page).toContain('&lt;지금은 <mark>매수</mark>&gt; 시점이고 다음도 <mark>매수</mark> 시점입니다.');
  expect(page).toMatch(/오탐 처리 .*<td>매수<\/td><td>[^<]*<\/td><td>수급 설명<\/td>/su);
  expect(linesOf(bytes, NOTHING)).toContain(`${PAGE} says what the JSON files say.`);
  own.close();
});

test('a file that is no part of a dossier, as a PDF, is refused whoever has packed it', async () => {
  const { files, manifest } = unseal(await fixture.make({ kind: 'EXPLANATION', id: IDS.shown }));
  const { program, madeAt, madeBy, subject } = manifest;
  const own = [...files].filter(([name]) => !name.startsWith('manifest.'));
  const more = new Map([...own, ['dossier.pdf', Buffer.from('%PDF-1.4')]] as [string, Uint8Array][]);
  const packed = seal(more, { program, madeAt, madeBy, subject }, fixture.tenant.privateKey);
  expect(() => linesOf(packed, all)).toThrow('The file holds "dossier.pdf", which no dossier has.');
});

test('what the reader does not keep is named as not checked', async () => {
  const lines = notChecked(linesOf(await fixture.make({ kind: 'EXPLANATION', id: IDS.shown }), NOTHING));
  expect(lines.flatMap((line) => line.match(/--[\w-]+/) ?? [])).toEqual([
    '--tenant-key',
    '--vendor-key',
    '--checkpoint',
  ]);
  expect(lines).toHaveLength(3 + ALWAYS.length);
});

test('another key of the vendor or of the tenant, and checkpoints of another log, are refused', async () => {
  const bytes = await fixture.make({ kind: 'EXPLANATION', id: IDS.edited });
  expect(() => linesOf(bytes, { ...all, vendor: [another()] })).toThrow('is signed by the key');
  expect(() => linesOf(bytes, { ...all, tenant: [another()] })).toThrow('is signed with the key');
  const other = new DossierFixture();
  try {
    expect(() => linesOf(bytes, { ...all, checkpoints: { text: other.checkpoints } })).toThrow('--checkpoint');
    expect(() => linesOf(bytes, { ...all, checkpoints: { text: 'x' } })).toThrow('holds no checkpoint');
  } finally {
    other.close();
  }
});

test('an unknown explanation or ticker, a moment ahead and a span that is too long have a clear answer', async () => {
  const span = (ticker: string, from: string, to = from) => fixture.make({ kind: 'SPAN', ticker, from, to });
  await expect(fixture.make({ kind: 'EXPLANATION', id: 'x' })).rejects.toThrow('There is no explanation x.');
  await expect(span('999999', FROM)).rejects.toThrow('No explanation of 999999 has been received');
  await expect(span(TICKER, '2027-01-01T00:00:00.000Z')).rejects.toThrow('lies ahead');
  await expect(span(TICKER, '2026-01-01T00:00:00.000Z', FROM)).rejects.toThrow('31 days');
  const before = await span(TICKER, '2026-11-01T00:00:00.000Z', '2026-11-02T00:00:00.000Z');
  expect(Buffer.from(unseal(before).files.get('dossier.html') ?? []).toString()).toContain('before the record begins');
  expect(() => linesOf(before, all)).not.toThrow();
});

test('an archived body is read from its archive, and a damaged archive makes no dossier', async () => {
  const own = new DossierFixture();
  try {
    expect(archiveRawBodies(own.ledger, 1, new Date('2027-01-01T00:00:00.000Z')).bundles).toBe(3);
    expect(() => linesOf(Buffer.alloc(0), NOTHING)).toThrow('no ZIP');
    const bytes = await own.make({ kind: 'EXPLANATION', id: IDS.gone });
    expect(notChecked(linesOf(bytes, { ...NOTHING, vendor: [own.vendor.publicKey] }))).toHaveLength(2 + ALWAYS.length);
    const [archive = ''] = own.ledger.read(archiveFiles);
    const held = readFileSync(archive);
    writeFileSync(archive, held.fill(0, 20, 40));
    await expect(own.make({ kind: 'EXPLANATION', id: IDS.gone })).rejects.toThrow('damaged in its archive');
  } finally {
    own.close();
  }
});

test('the command names what fits and the first thing that does not, with its exit code', async () => {
  const at = (name: string): string => path.join(fixture.folder, name);
  const bytes = await fixture.make({ kind: 'EXPLANATION', id: IDS.shown });
  writeFileSync(at('d.zip'), bytes);
  writeFileSync(at('bad.zip'), Buffer.from(bytes).fill(1, 200, 201));
  writeFileSync(at('vendor.pem'), pemOf(fixture.vendor));
  writeFileSync(at('tenant.pem'), fixture.tenant.publicKey.export({ type: 'spki', format: 'pem' }).toString());
  writeFileSync(at('kept.jsonl'), fixture.checkpoints);
  const run = async (...args: string[]) => {
    const said: string[] = [];
    const say = (line: string) => void said.push(line);
    const context = { env: {}, platform: 'linux', own: '', now: () => fixture.now, print: say, complain: say } as const;
    const code = await runAgent(['verify-dossier', ...args], {}, context, { 'verify-dossier': VERIFY_DOSSIER });
    return { code, said };
  };
  const pins = ['--vendor-key', at('vendor.pem'), '--tenant-key', at('tenant.pem'), '--checkpoint', at('kept.jsonl')];
  const good = await run(at('d.zip'), ...pins);
  expect([good.code, good.said.at(-1)]).toEqual([0, 'd.zip fits.']);
  expect(good.said.slice(0, -1).every((line) => /^(?:ok|--) {2}/.test(line))).toBe(true);
  const bad = await run(at('bad.zip'));
  expect([bad.code, bad.said.at(-1)]).toEqual([1, 'Do not rely on bad.zip.']);
  expect((await run(at('none.zip'))).code).toBe(2);
  const socket = createServer();
  await new Promise<void>((resolve) => void socket.listen(at('socket'), resolve));
  try {
    for (const no of [fixture.folder, at('socket'), '/dev/null'])
      for (const args of [[no], [at('d.zip'), '--tenant-key', no], [at('d.zip'), '--checkpoint', no]])
        expect(await run(...args)).toEqual({ code: 2, said: [`${no} cannot be read: it is no file; name a file.`] });
  } finally {
    await new Promise((resolve) => socket.close(resolve));
  }
  expect((await run()).code).toBe(2);
  expect((await run(at('d.zip'), '--tenant-key', at('kept.jsonl'))).code).toBe(2);
  expect((await run(at('d.zip'), '--other')).code).toBe(2);
});
