/** An archive of dossiers is made part by part, survives any cut, and proves itself without the ledger. */
import { generateKeyPairSync, hash, type KeyObject } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { signCheckpoint, treesOf, type Checkpoint } from '../../../shared/service/checkpoints/checkpoint.ts';
import type { InspectionForm } from '../../../shared/wire/console/constants.ts';
import type { InspectionQuery } from '../../../shared/wire/console/inspection.ts';
import { chainEnd, recordAction } from '../../ledger/audit/audit.ts';
import { seal, unseal } from '../../ledger/dossier/container.ts';
import { AUDIT, MANIFEST, RECORD, SIGNATURE, type DossierRecord } from '../../ledger/dossier/contents.ts';
import { findInspected, listInspected } from '../../ledger/inspection/find.ts';
import { archiveOf, dossierName, LIST, OpenedArchive, type Pieces } from '../../ledger/inspection/archive.ts';
import { InspectionStoppedError } from '../../ledger/inspection/errors.ts';
import { layOut, workOn, type Made, type WorkParts } from '../../ledger/inspection/work.ts';
import { newAt } from '../../../test/support/agent/intake.ts';
import { runAgent } from '../agent.ts';
import { VERIFY_DOSSIER } from './command.ts';
import { ADMIN, DossierFixture, IDS, REVIEWER, TICKER } from '../../../test/support/agent/dossier.ts';
import { verifyArchive } from './verify-archive.ts';
import type { Pinned } from './verify.ts';

let fixture: DossierFixture;
let pinned: Pinned;
let next = 0;
beforeAll(() => {
  fixture = new DossierFixture();
  pinned = {
    vendor: [fixture.vendor.publicKey],
    tenant: [fixture.tenant.publicKey],
    checkpoints: { text: fixture.checkpoints },
  };
});
afterAll(() => fixture.close());

const SPAN = { from: '2026-11-01', to: '2026-11-30' };
const NOTHING: Pinned = { vendor: null, tenant: null, checkpoints: null };
const idsOf = (query: InspectionQuery): string[] =>
  [...findInspected(fixture.ledger, query)].flat().map(({ id }) => id);

const partsOf = (change: Partial<WorkParts> = {}): WorkParts => ({
  ledger: fixture.ledger,
  key: fixture.tenant.privateKey,
  checkpoints: treesOf(fixture.checkpoints),
  clock: { now: () => fixture.now },
  rest: () => Promise.resolve(),
  ...change,
});

async function laidOut(form: InspectionForm, language: 'ko' | 'en' = 'ko'): Promise<string> {
  const folder = path.join(fixture.folder, `request-${(next += 1)}`);
  const { ids } = await listInspected(fixture.ledger, SPAN, () => Promise.resolve());
  layOut(folder, { id: 'r', form, language, query: SPAN, madeBy: '관리자', ids, head: chainEnd(fixture.ledger) });
  return folder;
}

async function finished(folder: string, parts = partsOf()): Promise<Made> {
  const work = workOn(folder, parts);
  for (;;) {
    const step = await work.next();
    if (step.done === true) return step.value;
  }
}

const piecesOf = (bytes: Uint8Array): Pieces => ({
  size: bytes.length,
  read: (position, length) => bytes.subarray(position, position + length),
});
const linesOf = (bytes: Uint8Array, pins: Pinned): string[] => [...verifyArchive(piecesOf(bytes), pins)];
const archiveIn = (folder: string): Buffer => readFileSync(path.join(folder, 'archive.zip'));

test('each condition finds what it means, alone and together', () => {
  expect(idsOf(SPAN).toSorted()).toEqual(Object.values(IDS).toSorted());
  expect(idsOf({ ...SPAN, ticker: TICKER })).toEqual([IDS.shown, IDS.edited]);
  expect(idsOf({ ...SPAN, person: REVIEWER.displayName })).toEqual([IDS.edited]);
  expect(idsOf({ ...SPAN, person: 'SYSTEM' })).toEqual([]);
  expect(idsOf({ ...SPAN, outcomes: ['INVALIDATED'] })).toEqual([IDS.gone]);
  // A text that was exposed once and replaced since, and the text as received.
  expect(idsOf({ ...SPAN, word: '수출이 늘었' })).toEqual([IDS.edited]);
  expect(idsOf({ ...SPAN, word: '매수 시점' })).toEqual([IDS.edited]);
  expect(idsOf({ ...SPAN, word: '%' })).toEqual([]);
  expect(idsOf({ ...SPAN, reason: '권유' })).toEqual([IDS.edited]);
  expect(idsOf({ ...SPAN, reason: '권유', outcomes: ['INVALIDATED'] })).toEqual([]);
  expect(idsOf({ from: '2026-11-21', to: '2026-11-30' })).toEqual([]);
});

test('an archive proves its list, its counts and each dossier; another key or a missing pin is named', async () => {
  const folder = await laidOut('ARCHIVE');
  const made = await finished(folder);
  const bytes = archiveIn(folder);
  expect(made).toMatchObject({ bytes: bytes.length, explanations: 3 });
  expect(readdirSync(folder)).not.toContain('parts');
  const lines = linesOf(bytes, pinned);
  expect(lines).toContain('Each of the 3 dossiers fits.');
  // Of each dossier what no file proves, and the channel of a demo; of the archive whether more explanations are meant.
  expect(lines.filter((line) => line.startsWith('Not checked'))).toEqual([
    expect.stringContaining('nothing was left out'),
    expect.stringContaining('channels (1)'),
    expect.stringContaining('further explanations that the request means'),
  ]);
  expect(linesOf(bytes, NOTHING).filter((line) => line.startsWith('Not checked')).length).toBeGreaterThan(3);
  const other = new DossierFixture();
  try {
    expect(() => linesOf(bytes, { ...pinned, tenant: [other.tenant.publicKey] })).toThrow('and not with');
  } finally {
    other.close();
  }
});

test('who holds the key and signs anew cannot change the list, the counts or the order of the dossiers', async () => {
  const folder = await laidOut('ARCHIVE');
  await finished(folder);
  const opened = new OpenedArchive(piecesOf(archiveIn(folder)));
  const { format, v, key, ...about } = opened.manifest;
  expect([format, v, typeof key]).toEqual(['causeway inspection', 1, 'string']);
  const contents = new Map([...opened.files()].map(({ name, content }) => [name, Buffer.from(content)]));
  const signedAnew = (change: Partial<typeof about>, list = contents.get(LIST) ?? Buffer.alloc(0)): Buffer => {
    const all = new Map(contents).set(LIST, list);
    const files = (change.files ?? about.files).map(({ name }) => {
      const content = all.get(name) ?? Buffer.alloc(0);
      return { name, bytes: content.length, sha256: hash('sha256', content) };
    });
    const signed = archiveOf(
      { ...about, ...change, files },
      fixture.tenant.privateKey,
      ({ name }) => all.get(name) ?? Buffer.alloc(0),
    );
    return Buffer.concat([...signed]);
  };
  expect(() => linesOf(signedAnew({}), pinned)).not.toThrow();
  const list = contents.get(LIST)?.toString() ?? '';
  expect(() => linesOf(signedAnew({}, Buffer.from(list.replace('정정', '변경'))), pinned)).toThrow('list.csv');
  const [first, ...dossiers] = about.files;
  if (first === undefined) throw new Error('the archive has no list');
  expect(() => linesOf(signedAnew({ files: [first, ...dossiers.toReversed()] }), pinned)).toThrow('list.csv');
  expect(() => linesOf(signedAnew({ files: [first, ...dossiers.slice(1)] }), pinned)).toThrow('counts');
  expect(() => linesOf(signedAnew({ counts: { ...about.counts, total: 4 } }), pinned)).toThrow('counts');
});

test('each dossier is what the request means, and of the tenant of the archive', async () => {
  const folder = await laidOut('ARCHIVE');
  await finished(folder);
  const opened = new OpenedArchive(piecesOf(archiveIn(folder)));
  const about = opened.manifest;
  const contents = new Map([...opened.files()].map(({ name, content }) => [name, Buffer.from(content)]));
  const signedAnew = (query: object, change = (bytes: Buffer, _id: string): Uint8Array => bytes): Buffer => {
    const all = new Map([...contents].map(([name, bytes]) => [name, Buffer.from(change(bytes, name))]));
    const files = about.files.map(({ name }) => {
      const content = all.get(name) ?? Buffer.alloc(0);
      return { name, bytes: content.length, sha256: hash('sha256', content) };
    });
    const asked = { ...about, query: { ...SPAN, ...query }, files };
    return Buffer.concat([...archiveOf(asked, fixture.tenant.privateKey, ({ name }) => all.get(name) ?? Buffer.of())]);
  };
  expect(linesOf(signedAnew({}), NOTHING)).toContainEqual(expect.stringContaining('of one tenant'));
  for (const [query, condition] of [
    [{ to: '2026-11-19' }, '2026-11-19'],
    [{ ticker: 'NONE' }, 'of NONE'],
    [{ person: '다른 사람' }, 'by 다른 사람'],
    [{ outcomes: ['REJECTED'] }, 'in state REJECTED'],
    [{ word: '없는 말' }, 'the word 없는 말'],
    [{ reason: '없는 사유' }, 'the reason 없는 사유'],
  ] as const)
    expect(() => linesOf(signedAnew(query), pinned)).toThrow(condition);
  const other = generateKeyPairSync('ed25519').privateKey;
  const sealedAnew = (bytes: Buffer, key: KeyObject, tenantId?: null): Uint8Array => {
    const { files, manifest } = unseal(bytes);
    const told = new Map([...files].filter(([name]) => name !== MANIFEST && name !== SIGNATURE));
    const record = JSON.parse(Buffer.from(told.get(RECORD) ?? []).toString()) as DossierRecord;
    // A statement names its tenant.
    const bundles = record.bundles.map((bundle) => ({ ...bundle, statement: null }));
    if (tenantId === null) told.set(RECORD, Buffer.from(JSON.stringify({ ...record, tenantId, bundles })));
    const { madeAt, madeBy, subject } = manifest;
    // The page of another version is not compared.
    const program = tenantId === null ? 'another' : manifest.program;
    const audit = JSON.parse(Buffer.from(told.get(AUDIT) ?? []).toString()) as { checkpoints: Checkpoint[] };
    const last = audit.checkpoints.at(-1);
    if (last?.root === undefined) throw new Error('the dossier has no checkpoint of a tree');
    audit.checkpoints.splice(
      -1,
      1,
      signCheckpoint('console_action_log', { ...last, root: last.root }, new Date(last.at), key),
    );
    told.set(AUDIT, Buffer.from(JSON.stringify(audit)));
    return seal(told, { program, madeAt, madeBy, subject }, key);
  };
  const one = (change: (bytes: Buffer) => Uint8Array) => (bytes: Buffer, name: string) =>
    name === dossierName(IDS.gone) ? change(bytes) : bytes;
  const strange = signedAnew(
    {},
    one((bytes) => sealedAnew(bytes, other)),
  );
  expect(() => linesOf(strange, NOTHING)).toThrow('and the archive with');
  const mixed = signedAnew(
    {},
    one((bytes) => sealedAnew(bytes, fixture.tenant.privateKey, null)),
  );
  expect(() => linesOf(mixed, { ...pinned, vendor: null })).toThrow('is of the tenant');
});

test('every changed byte of an archive is found', async () => {
  const folder = await laidOut('ARCHIVE');
  await finished(folder);
  const bytes = archiveIn(folder);
  const step = Math.ceil(bytes.length / 150);
  const ends = [0, 29, 35, bytes.length - 1, bytes.length - 22, bytes.length - 40, bytes.length - 60];
  for (const at of [...ends, ...Array.from({ length: 150 }, (_, n) => n * step)].filter((one) => one < bytes.length)) {
    const changed = Buffer.from(bytes);
    changed[at] = (changed[at] ?? 0) ^ 1;
    expect(() => linesOf(changed, NOTHING), `byte ${at}`).toThrow();
  }
  expect(() => linesOf(bytes.subarray(0, -1), NOTHING)).toThrow();
  expect(() => linesOf(Buffer.concat([bytes, Buffer.from('x')]), NOTHING)).toThrow('no part of its files');
}, 60_000);

test('work that is cut off after each part goes on where it stood, and no part file reads like a whole one', async () => {
  const folder = await laidOut('ARCHIVE');
  const made: number[] = [];
  for (let cut = 0; cut < 3; cut += 1) {
    const work = workOn(folder, partsOf());
    const step = await work.next();
    made.push(step.value as number);
    await work.return(undefined as never);
    expect(readdirSync(folder)).not.toContain('archive.zip');
  }
  expect(made).toEqual([1, 2, 3]);
  // A process that was killed while it wrote leaves a file of another name.
  mkdirSync(path.join(folder, 'parts'), { recursive: true });
  writeFileSync(path.join(folder, 'archive.zip.1.part'), 'PK');
  await finished(folder);
  expect(() => linesOf(archiveIn(folder), pinned)).not.toThrow();
  // Once more, as after a kill between the file and the row on record.
  expect(await finished(folder)).toMatchObject({ explanations: 3 });
});

test('a damaged part is made again', async () => {
  const folder = await laidOut('ARCHIVE');
  const work = workOn(folder, partsOf());
  await work.next();
  await work.return(undefined as never);
  const part = path.join(folder, 'parts', '000001.zip');
  writeFileSync(part, readFileSync(part).fill(0, 100, 200));
  await expect(finished(folder)).rejects.toMatchObject({ stop: 'RECORD' });
  await finished(folder);
  expect(() => linesOf(archiveIn(folder), pinned)).not.toThrow();
});

test('a full disk stops the work before the ledger has no room, and it goes on when there is', async () => {
  const folder = await laidOut('ARCHIVE');
  let asked = 0;
  const filling = partsOf({ freeBytes: () => ((asked += 1) > 2 ? 1_000 : 1e12) });
  await expect(finished(folder, filling)).rejects.toMatchObject({ stop: 'DISK_FULL' });
  expect(readdirSync(path.join(folder, 'parts'))).toHaveLength(2);
  await finished(folder);
  expect(() => linesOf(archiveIn(folder), pinned)).not.toThrow();
});

test('after a restore from a backup the parts of the lost ledger are not joined with those of the other', async () => {
  const own = new DossierFixture();
  try {
    const folder = path.join(own.folder, 'request');
    const { ids } = await listInspected(own.ledger, SPAN, () => Promise.resolve());
    const lost = { seq: chainEnd(own.ledger).seq + 1, hash: 'f'.repeat(64) };
    layOut(folder, { id: 'r', form: 'ARCHIVE', language: 'ko', query: SPAN, madeBy: 'x', ids, head: lost });
    const parts = { ...partsOf(), ledger: own.ledger, key: own.tenant.privateKey };
    await expect(finished(folder, parts)).rejects.toMatchObject({ stop: 'RESTORED' });
    // Another row in the place of the lost one.
    own.ledger.write((tx) =>
      recordAction(tx, { at: own.at, actor: ADMIN, action: 'x', targetType: 'x', targetId: null, detail: {} }),
    );
    await expect(finished(folder, parts)).rejects.toBeInstanceOf(InspectionStoppedError);
  } finally {
    own.close();
  }
});

test('a list has a mark for spreadsheets, one row for each explanation, and guards formulas', async () => {
  fixture.receive(newAt(5, 'formula', { summary: '=HYPERLINK(1)', explanation_as_of: '2026-11-20T06:30:00.000Z' }));
  const folder = await laidOut('LIST', 'en');
  const made = await finished(folder);
  const text = readFileSync(path.join(folder, 'list.csv'), 'utf8');
  expect(text.startsWith('\u{feff}Explanation,Ticker,')).toBe(true);
  expect(text.trimEnd().split('\r\n')).toHaveLength(made.explanations + 1);
  expect(text).toContain("'=HYPERLINK(1)");
  expect(text).toContain('Published text corrected');
  expect(made.listSha256).toBe(made.sha256);
});

test('the command tells an archive from a dossier', async () => {
  const folder = await laidOut('ARCHIVE');
  await finished(folder);
  const file = path.join(folder, 'archive.zip');
  const said: string[] = [];
  const say = (line: string) => void said.push(line);
  const context = { env: {}, platform: 'linux', own: '', now: () => fixture.now, print: say, complain: say } as const;
  const run = () => runAgent(['verify-dossier', file], {}, context, { 'verify-dossier': VERIFY_DOSSIER });
  expect(await run()).toBe(0);
  expect(said.at(-1)).toBe('archive.zip fits.');
  writeFileSync(file, readFileSync(file).fill(1, 5_000, 5_001));
  expect(await run()).toBe(1);
});
