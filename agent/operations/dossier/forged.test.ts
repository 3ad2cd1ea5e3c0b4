/**
 * Somebody who holds the tenant's key tells more or less than the ledger, in all files at once, and signs anew. The
 * reader keeps the vendor's key, the tenant's and the checkpoints.
 */
import { pino } from 'pino';
import { newAt } from '../../../test/support/agent/intake.ts';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createEntryScreening } from '../../intake/apply/screening.ts';
import { rebuildLedger } from '../../intake/maintenance/rebuild.ts';
import { recordAction } from '../../ledger/audit/audit.ts';
import { explanationsIn, type SubjectQuery } from '../../ledger/dossier/collect.ts';
import { seal, unseal } from '../../ledger/dossier/container.ts';
import {
  AUDIT,
  auditSchema,
  MANIFEST,
  PAGE,
  RECORD,
  recordSchema,
  SHOWN,
  shownSchema,
  SIGNATURE,
  type DossierAudit,
  type DossierRecord,
  type DossierShown,
  type Manifest,
} from '../../ledger/dossier/contents.ts';
import { dossierPage } from '../../ledger/dossier/page.ts';
import { recordRestored } from '../../ledger/serving/record.ts';
import { toggleScope } from '../../ledger/serving/scope.ts';
import { servedBandOf } from '../../ledger/shown/requests.ts';
import { ADMIN, DossierFixture, firstRows, IDS, TICKER } from '../../../test/support/agent/dossier.ts';
import { verifyDossier } from './verify.ts';

let fixture: DossierFixture;
beforeEach(() => {
  fixture = new DossierFixture();
});
afterEach(() => fixture.close());

interface Parts {
  manifest: Manifest;
  record: DossierRecord;
  shown: DossierShown[];
  audit: DossierAudit;
  facts: DossierShown['facts'];
}

const FROM = '2026-11-20T05:00:00.000Z';
const span = (): SubjectQuery => ({ kind: 'SPAN', ticker: TICKER, from: FROM, to: fixture.at });
const made = (): Promise<Uint8Array> => fixture.make(span());

function linesOf(bytes: Uint8Array): string[] {
  const { vendor, tenant, checkpoints } = fixture;
  const pinned = { vendor: [vendor.publicKey], tenant: [tenant.publicKey], checkpoints: { text: checkpoints } };
  return [...verifyDossier(bytes, pinned)];
}

/** The dossier after a change in all its files, with what was shown, who is told and the page made again of the facts. */
async function forged(change: (parts: Parts) => void, asked = span()): Promise<string[]> {
  const { files, manifest } = unseal(await fixture.make(asked));
  const json = (name: string): unknown => JSON.parse(Buffer.from(files.get(name) ?? []).toString());
  const record = recordSchema.parse(json(RECORD));
  const shown = shownSchema.parse(json(SHOWN));
  const audit = auditSchema.parse(json(AUDIT));
  const [only] = shown;
  if (only === undefined) throw new Error('nothing was shown');
  change({ manifest, record, shown, audit, facts: only.facts });
  only.spans = JSON.parse(JSON.stringify(servedBandOf(only.facts, only.from, only.to))) as typeof only.spans;
  const due = explanationsIn(manifest.subject, shown);
  record.explanations = record.explanations.filter(({ id }) => due.has(id));
  const rows = audit.rows.map(({ row }) => row);
  const page = dossierPage({ subject: manifest.subject, record, shown, bundles: [], rows }, manifest);
  const put = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));
  const told = new Map([...files].filter(([name]) => name !== MANIFEST && name !== SIGNATURE))
    .set(RECORD, put(record))
    .set(SHOWN, put(shown))
    .set(AUDIT, put(audit))
    .set(PAGE, Buffer.from(page));
  const { program, madeAt, madeBy, subject } = manifest;
  return linesOf(seal(told, { program, madeAt, madeBy, subject }, fixture.tenant.privateKey));
}

const withoutRows = (audit: DossierAudit, action: string): void => {
  audit.rows = audit.rows.filter(({ row }) => row.action !== action);
};

test('a rebuild that hides the ticker needs its row, and so does a restore', async () => {
  const [at, end] = ['2026-11-20T05:03:00.000Z', '2026-11-20T05:03:30.000Z'];
  const hidden = forged(({ facts }) => facts.rebuilds.push({ at, held: 1 }, { at: end, held: 0 }));
  await expect(hidden).rejects.toThrow(`no row of the change of a rebuild that hides ${TICKER} at ${at}`);
  const unknown = forged(({ facts }) => facts.restored.push({ at: end, since: at }));
  await expect(unknown).rejects.toThrow(`no row of the change of a restore from a backup at ${end}`);
});

function restored(at: string, since: string): void {
  fixture.ledger.write((tx) => {
    recordRestored(tx, at, since);
  });
  fixture.pass(60_000);
  fixture.keepCheckpoint();
}

test('what a rebuild and a restore have recorded fits, and neither can be left out or told otherwise', async () => {
  fixture.ledger.write((tx) =>
    tx.run({ sql: "UPDATE explanation SET etf_name = '다른 이름' WHERE id = ?", parameters: [IDS.shown] }),
  );
  const log = pino({ enabled: false });
  const clock = { now: () => fixture.now };
  rebuildLedger({ ledger: fixture.ledger, log, clock, screenEntry: createEntryScreening(log) });
  fixture.pass(60_000);
  const [at, since] = [fixture.at, '2026-11-20T05:03:00.000Z'];
  restored(at, since);
  const { files } = unseal(await made());
  const [told] = shownSchema.parse(JSON.parse(Buffer.from(files.get(SHOWN) ?? []).toString()));
  expect([told?.facts.rebuilds.length, told?.facts.restored.length]).toEqual([2, 1]);
  expect(linesOf(await made()).filter((line) => line.includes('corrections of rows'))).toEqual([]);
  await expect(forged(({ facts }) => void facts.rebuilds.splice(0))).rejects.toThrow('lacks the change of a rebuild');
  await expect(forged(({ facts }) => void facts.restored.splice(0))).rejects.toThrow('lacks the change of a restore');
  const wider = forged(({ facts }) => facts.restored.splice(0, 1, { at, since: FROM }));
  await expect(wider).rejects.toThrow('no row of the change of a restore');
});

test('a switch of the scope cannot be left out alone, nor one of two with its row', async () => {
  await expect(forged(({ facts }) => void facts.scope.splice(0))).rejects.toThrow('lacks the change of the scope');
  const one = forged(({ facts, audit }) => {
    const [first] = facts.scope.splice(0, 1);
    audit.rows = audit.rows.filter(({ row }) => row.action !== 'scope.toggle' || row.at !== first?.at);
  });
  await expect(one).rejects.toThrow(`lacks a switch of INSTRUMENT ${TICKER}`);
});

test('a move cannot be left out in the middle; the last ones can, and the result says that nothing proves them', async () => {
  const without = (move: string) =>
    forged(({ record, facts, audit }) => {
      for (const { history } of record.explanations) {
        const at = history.findIndex((each) => each.move === move);
        if (at >= 0) history.splice(at, 1);
      }
      for (const { moves } of facts.explanations) {
        const at = moves.findIndex((each) => each.move === move);
        if (at >= 0) moves.splice(at, 1);
      }
      withoutRows(audit, `explanation.${move}`);
    });
  await expect(without('approve-edited')).rejects.toThrow('A row of the audit log is missing before row');
  const left = await without('correct');
  expect(left).toContainEqual(expect.stringContaining('no file can prove that nothing was left out'));
  // After a restore the history may lack moves of the program: people's alone come back.
  restored(fixture.at, FROM);
  expect(await without('approve-edited')).toContainEqual(expect.stringContaining('moves are missing between others'));
});

const factsOf = ({ facts }: Parts, id: string) => {
  const told = facts.explanations.find((each) => each.id === id);
  if (told === undefined) throw new Error(`the facts lack ${id}`);
  return told;
};

test('fields, as they are and as they were, are those of the vendor’s entries in their order, and hide no text', async () => {
  const shown = { explanation_as_of: '2026-11-20T05:00:00.000Z' };
  fixture.receive(newAt(5, 'shown', { ...shown, etf_name: '새 이름' }));
  fixture.receive(newAt(6, 'shown', { ...shown, summary: '새 문장' }));
  fixture.keepCheckpoint();
  const honest = await forged(() => undefined);
  expect(honest).toContainEqual(expect.stringContaining('times at which the vendor changed fields beside a text (1)'));
  const hidden = { trade_date: '2020-01-01' };
  const invented = forged((parts) => {
    const told = factsOf(parts, IDS.edited);
    told.former = [{ at: parts.facts.readAt, fields: { ...told.fields, ...hidden } }];
    parts.facts.recorded.push({ at: parts.facts.readAt, seq: 99 });
  });
  await expect(invented).rejects.toThrow(`${IDS.edited} before`);
  // It stands in no span then, so that record.json does not tell of it.
  const other = forged((parts) => Object.assign(factsOf(parts, IDS.edited).fields, hidden));
  await expect(other).rejects.toThrow(`fields of ${IDS.edited} that no entry`);
  const renamed = forged((parts) =>
    Object.assign(factsOf(parts, IDS.shown).former[0]?.fields ?? {}, { etf_name: '이름' }),
  );
  await expect(renamed).rejects.toThrow(`fields of ${IDS.shown} before`);
  const turned = forged((parts) => {
    const [first, second] = factsOf(parts, IDS.shown).former;
    if (first !== undefined && second !== undefined) [first.fields, second.fields] = [second.fields, first.fields];
  });
  await expect(turned).rejects.toThrow('in another order');
  const moved = forged((parts) => {
    const [, last] = factsOf(parts, IDS.shown).former;
    const row = parts.facts.recorded.find(({ at }) => at === last?.at);
    for (const each of [row, last]) if (each !== undefined) each.at = FROM;
  });
  await expect(moved).rejects.toThrow(`text of ${IDS.shown} changed at ${FROM}`);
});

test('the record begins with row 1 of the log, and no fact of it is without its row', async () => {
  const later = ({ facts }: Parts): void => {
    facts.begins = facts.explanations.find(({ id }) => id === IDS.edited)?.moves.at(-1)?.at ?? '';
    for (const row of [...facts.channels, ...facts.policies, ...facts.recorded])
      if (row.at === FROM) row.at = facts.begins;
  };
  await expect(forged(later)).rejects.toThrow('The record does not begin at');
  const off = { at: FROM, type: 'CHANNEL', key: 'MTS', enabled: 0, by: 'SYSTEM' } as const;
  const closed = forged(({ facts }) => {
    facts.scope.unshift(off);
    facts.recorded = [...facts.recorded, { at: FROM, seq: 0 }].toSorted((one, next) => one.seq - next.seq);
  });
  await expect(closed).rejects.toThrow('no row of the change of the scope of MTS');
  const repeated = await forged(({ facts }) => facts.recorded.push({ at: FROM, seq: 99 }));
  expect(repeated).toContainEqual(expect.stringContaining('beside a clock that was set back (1)'));
});

test('the days of an explanation are told whole, and the file was made when its last checkpoint was signed', async () => {
  const one = { kind: 'EXPLANATION', id: IDS.shown } as const;
  await expect(forged(() => undefined, one)).resolves.toContainEqual(expect.stringContaining('whole explanation'));
  const cut = forged(
    ({ shown: [first] }) => Object.assign(first ?? {}, { from: FROM, to: '2026-11-20T05:00:01.000Z' }),
    one,
  );
  await expect(cut).rejects.toThrow(`the days on which ${IDS.shown} changed`);
  const at = '2026-11-20T05:05:00.000Z';
  const early = forged(({ manifest, record, shown, audit, facts }) => {
    const until = <T extends { at: string }>(rows: T[]): T[] => rows.filter((row) => row.at <= at);
    Object.assign(manifest, { madeAt: at });
    Object.assign(shown[0] ?? {}, { to: at });
    Object.assign(facts, { readAt: at, scope: until(facts.scope), recorded: until(facts.recorded) });
    for (const each of facts.explanations) Object.assign(each, { moves: until(each.moves), served: [] });
    for (const each of record.explanations) Object.assign(each, { history: until(each.history), served: [] });
    audit.rows = audit.rows.filter(({ row }) => row.at <= at);
  }, one);
  await expect(early).rejects.toThrow(`made at ${at}, and its last checkpoint was signed at`);
});

test('a file without row 1 of the log does not say when the record begins', async () => {
  fixture.close();
  const begin: typeof firstRows = (ledger, now) => {
    const login = { actor: ADMIN, action: 'auth.login', targetType: 'member', targetId: ADMIN.id, detail: {} };
    ledger.write((tx) => recordAction(tx, { at: now.toISOString(), ...login }));
    firstRows(ledger, now);
  };
  fixture = new DossierFixture({ begin });
  await expect(forged(() => undefined)).resolves.not.toEqual([]);
  await expect(forged(({ audit }) => withoutRows(audit, 'auth.login'))).rejects.toThrow('lacks row 1 of the audit log');
});

test('a switch that was written afterwards under an earlier time is named, by the checkpoints that are signed for a later one', async () => {
  const named = 'an earlier row was under a checkpoint that is signed for a later time';
  await expect(forged(() => undefined)).resolves.not.toContainEqual(expect.stringContaining(named));
  const at = (ms: number): string => new Date(Date.parse(FROM) + ms).toISOString();
  for (const ms of [61_000, 300_000])
    fixture.ledger.write((tx) => toggleScope(tx, { type: 'MARKET', key: 'KRX', actor: ADMIN, at: at(ms) }));
  fixture.keepCheckpoint();
  const lines = await forged(() => undefined);
  expect(lines).toContainEqual(
    expect.stringMatching(new RegExp(`the times of 2 rows, .* which says ${at(61_000)}: ${named}`)),
  );
});
