/**
 * Each kind of byte of a dossier is changed, and every change is found: first in the file, then in its contents by
 * somebody who holds the tenant's key and signs anew, against a reader who keeps the vendor's key and the checkpoints.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newSeed, runs } from '../../../test/support/runs.ts';
import { newAt } from '../../../test/support/agent/intake.ts';
import type { SubjectQuery } from '../../ledger/dossier/collect.ts';
import { seal, unseal, UnfitDossierError, type Files } from '../../ledger/dossier/container.ts';
import {
  AUDIT,
  MANIFEST,
  PAGE,
  RECORD,
  SHOWN,
  SIGNATURE,
  type DossierAudit,
  type DossierShown,
  type Manifest,
} from '../../ledger/dossier/contents.ts';
import { dossierPage } from '../../ledger/dossier/page.ts';
import { explanationId } from '../../ledger/explanations/explanations.ts';
import { DossierFixture, IDS, TICKER } from '../../../test/support/agent/dossier.ts';
import { changedAt, kinds, type Found, type Json } from '../../../test/support/agent/dossier-values.ts';
import { verifyDossier, type Pinned } from './verify.ts';

/** `npm test` changes each third byte between the files, and each second kind of value. */
const turn = newSeed();
let fixture: DossierFixture;
let all: Pinned;
const wholes = new Map<SubjectQuery['kind'], Uint8Array>();
const KINDS = ['SPAN', 'EXPLANATION'] as const;
const dossierOf = (kind: SubjectQuery['kind']): Uint8Array => wholes.get(kind) ?? new Uint8Array();
beforeAll(async () => {
  fixture = new DossierFixture();
  // It stands in no span, so that only its moves are in a dossier.
  fixture.receive(newAt(5, 'waiting', { summary: '지금은 매수 시점입니다.' }));
  // The vendor renames the fund, so that the facts hold fields as they were.
  fixture.receive(newAt(6, 'shown', { explanation_as_of: '2026-11-20T05:00:00.000Z', etf_name: '새 이름' }));
  fixture.keepCheckpoint();
  const from = '2026-11-20T05:00:00.000Z';
  wholes.set('SPAN', await fixture.make({ kind: 'SPAN', ticker: TICKER, from, to: fixture.at }));
  wholes.set('EXPLANATION', await fixture.make({ kind: 'EXPLANATION', id: IDS.shown }));
  all = {
    vendor: [fixture.vendor.publicKey],
    tenant: [fixture.tenant.publicKey],
    checkpoints: { text: fixture.checkpoints },
  };
});
afterAll(() => fixture.close());

function faultOf(bytes: Uint8Array): string | null {
  try {
    void [...verifyDossier(bytes, all)];
    return null;
  } catch (error) {
    if (error instanceof UnfitDossierError) return error.message;
    throw error;
  }
}

const jsonOf = (files: Files, name: string): Json => JSON.parse(Buffer.from(files.get(name) ?? []).toString()) as Json;

/** The file with these contents, its page and manifest made anew and signed with the tenant's key. */
function signedAnew(manifest: Manifest, contents: ReadonlyMap<string, Uint8Array>): Uint8Array {
  const files = new Map([...contents].filter(([name]) => name !== MANIFEST && name !== SIGNATURE));
  const collected = {
    subject: manifest.subject,
    record: jsonOf(files, RECORD),
    shown: jsonOf(files, SHOWN),
    bundles: [],
    rows: (jsonOf(files, AUDIT) as unknown as DossierAudit).rows.map(({ row }) => row),
  };
  try {
    files.set(PAGE, Buffer.from(dossierPage(collected as unknown as Parameters<typeof dossierPage>[0], manifest)));
  } catch {
    // A page cannot be made of everything: the check ends before it then.
  }
  const { program, madeAt, madeBy, subject } = manifest;
  return seal(files, { program, madeAt, madeBy, subject }, fixture.tenant.privateKey);
}

/** What nothing but the tenant's signature answers for (README of `agent/ledger/dossier`). */
const OF_THE_TENANT = new RegExp(
  [
    String.raw`^record\.json (?:explanations\.\d\.(?:review\.|receivedAt$)|bundles\.\*\.(?:signature|receivedAt)$)`,
    String.raw`^shown\.json \*\.facts\.recorded\.\*\.seq$|^WAITING\.(?:fields\.|moves\.\d\.id$)`,
  ].join('|'),
);

describe.each(KINDS)('a dossier of the kind %s', (kindOf) => {
  let whole: Uint8Array;
  beforeAll(() => {
    whole = dossierOf(kindOf);
    expect(faultOf(whole)).toBeNull();
  });

  test('a changed byte of the file is found wherever it stands, and so is one more and one less', () => {
    const { files } = unseal(whole);
    const ranges = [...files.values()].map((content) => {
      const start = Buffer.from(whole).indexOf(content);
      return { start, end: start + content.length };
    });
    const isContent = (at: number): boolean => ranges.some(({ start, end }) => at >= start && at < end);
    const places = [
      ...ranges.flatMap(({ start, end }) =>
        Array.from({ length: 12 }, (_, n) => start + Math.floor(((end - start - 1) * n) / 11)),
      ),
      ...Array.from(whole.keys()).filter((at) => !isContent(at) && at % runs(3, 1) === turn % runs(3, 1)),
    ];
    expect(places.length).toBeGreaterThan(runs(250, 700));
    const missed = places.filter((at) => {
      const changed = whole.slice();
      changed[at] = (changed[at] ?? 0) ^ 1;
      return faultOf(changed) === null;
    });
    expect(missed).toEqual([]);
    // Of a file it is named, as the first thing that does not fit.
    for (const [name, content] of files) {
      const changed = Buffer.from(whole);
      const at = changed.indexOf(content) + Math.floor(content.length / 2);
      changed[at] = (changed[at] ?? 0) ^ 1;
      expect(faultOf(changed)).toContain(name);
    }
    const bytes = Buffer.from(whole);
    for (const other of [
      bytes.subarray(1),
      bytes.subarray(0, -1),
      Buffer.concat([bytes, Buffer.of(0)]),
      Buffer.alloc(0),
    ])
      expect(faultOf(other)).not.toBeNull();
  });

  test('a value that somebody with the tenant’s key has changed is found by what the reader keeps', () => {
    const { files, manifest } = unseal(whole);
    expect(faultOf(signedAnew(manifest, files))).toBeNull();
    const missed: string[] = [];
    let changed = 0;
    let nth = 0;
    const [told] = jsonOf(files, SHOWN) as unknown as DossierShown[];
    const waiting = `shown.json *.facts.explanations.${told?.facts.explanations.findIndex(({ id }) => id === explanationId('waiting'))}.`;
    for (const name of [RECORD, SHOWN, AUDIT]) {
      const value = jsonOf(files, name);
      const found: Found = new Map();
      kinds(value, [], found);
      for (const [kind, { path }] of found) {
        if ((nth += 1) % runs(2, 1) !== turn % runs(2, 1)) continue;
        if (OF_THE_TENANT.test(`${name} ${kind}`.replace(waiting, 'WAITING.'))) continue;
        changed += 1;
        const bytes = Buffer.from(JSON.stringify(changedAt(value, path)));
        if (faultOf(signedAnew(manifest, new Map([...files, [name, bytes]]))) === null) missed.push(`${name} ${kind}`);
      }
    }
    expect(missed).toEqual([]);
    expect(changed).toBeGreaterThan(runs(55, 120));
  });

  test('a bundle, or a row of the log, that was taken out or changed by somebody with the tenant’s key is found', () => {
    const { files, manifest } = unseal(whole);
    const bundle = [...files.keys()].find((name) => name.startsWith('bundles/')) ?? '';
    const body = Buffer.from(files.get(bundle) ?? []);
    const said = Buffer.from(body.toString().replace('반도체', '자동차'));
    expect(faultOf(signedAnew(manifest, new Map([...files, [bundle, said]])))).toContain('SHA-256 of its reception');
    const audit = jsonOf(files, AUDIT) as unknown as DossierAudit;
    const without = (n: number) => Buffer.from(JSON.stringify({ ...audit, rows: audit.rows.toSpliced(n, 1) }));
    const isAbout = (n: number): boolean => {
      const row = audit.rows[n]?.row;
      return row?.action.startsWith('explanation.') === true && row.target_id === IDS.edited;
    };
    const rows = [...audit.rows.keys()].filter(isAbout);
    expect(rows.length).toBeGreaterThan(2);
    for (const n of rows)
      expect(faultOf(signedAnew(manifest, new Map([...files, [AUDIT, without(n)]])))).toContain('audit log');
  });
});
