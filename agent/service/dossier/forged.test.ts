/**
 * Somebody who holds the tenant's key tells more or less than the ledger, in all files at once, and signs anew. The
 * reader keeps the vendor's key, the tenant's and the checkpoints.
 */
import { pino } from 'pino';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createEntryScreening } from '../../intake/apply/screening.ts';
import { rebuildLedger } from '../../intake/maintenance/rebuild.ts';
import { commandActor, recordAction } from '../../ledger/audit/audit.ts';
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
} from '../../ledger/dossier/contents.ts';
import { dossierPage } from '../../ledger/dossier/page.ts';
import { recordFact } from '../../ledger/serving/record.ts';
import { servedBandOf } from '../../ledger/shown/requests.ts';
import { DossierFixture, IDS, TICKER } from './testing.ts';
import { verifyDossier } from './verify.ts';

let fixture: DossierFixture;
beforeEach(() => {
  fixture = new DossierFixture();
});
afterEach(() => fixture.close());

interface Parts {
  record: DossierRecord;
  shown: DossierShown[];
  audit: DossierAudit;
  facts: DossierShown['facts'];
}

const FROM = '2026-11-20T05:00:00.000Z';
const made = (): Promise<Uint8Array> => fixture.make({ kind: 'SPAN', ticker: TICKER, from: FROM, to: fixture.at });

function linesOf(bytes: Uint8Array): string[] {
  const { vendor, tenant, checkpoints } = fixture;
  const pinned = { vendor: [vendor.publicKey], tenant: [tenant.publicKey], checkpoints: { text: checkpoints } };
  return [...verifyDossier(bytes, pinned)];
}

/** The dossier after a change in all its files, with what was shown and the page made again of the facts. */
async function forged(change: (parts: Parts) => void): Promise<string[]> {
  const { files, manifest } = unseal(await made());
  const json = (name: string): unknown => JSON.parse(Buffer.from(files.get(name) ?? []).toString());
  const record = recordSchema.parse(json(RECORD));
  const shown = shownSchema.parse(json(SHOWN));
  const audit = auditSchema.parse(json(AUDIT));
  const [only] = shown;
  if (only === undefined) throw new Error('nothing was shown');
  change({ record, shown, audit, facts: only.facts });
  only.spans = JSON.parse(JSON.stringify(servedBandOf(only.facts, only.from, only.to))) as typeof only.spans;
  const rows = audit.rows.map(({ row }) => row);
  const page = dossierPage({ subject: manifest.subject, record, shown, bundles: [], rows }, manifest);
  const put = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));
  const told = new Map([...files].filter(([name]) => name !== MANIFEST && name !== SIGNATURE))
    .set(RECORD, put(record))
    .set(SHOWN, put(shown))
    .set(AUDIT, put(audit))
    .set(PAGE, Buffer.from(page));
  const { program, madeAt, madeBy, subject, pdf } = manifest;
  return linesOf(seal(told, { program, madeAt, madeBy, subject, pdf }, fixture.tenant.privateKey));
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
    recordFact(tx, at, 'RESTORED', null, { since });
    const act = { actor: commandActor(), action: 'ledger.restore', targetType: 'audit_log', targetId: null };
    recordAction(tx, { at, ...act, detail: { since } });
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
