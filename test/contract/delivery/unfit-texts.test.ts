/**
 * A text that is not fit for readers (D210): of v2 the door refuses it, and a tenant takes what comes; of v1 it is delivered,
 * and a reviewer sees it before any customer.
 */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { applyNext } from '../../../agent/intake/apply/apply.ts';
import { explanationRow, partsOn, type WholeParts } from '../../support/agent/intake.ts';
import { commitBundle } from '../../../agent/ledger/inbox/raw-bundles.ts';
import { publishPolicy } from '../../../agent/ledger/policy/versions.ts';
import { openLedger } from '../../../agent/ledger/storage/ledger.ts';
import { sqlite } from '../../../agent/ledger/storage/query.ts';
import { SEED_POLICY } from '../../../agent/screening/seed/seed-policy.ts';
import { readLoad } from '../../../cloud/ingest/read-load.ts';
import { publish } from '../../../cloud/publication/publish.ts';
import { bundleFixture } from '../../support/cloud/bundle-fixture.ts';
import { live, v2 } from '../../support/cloud/loads.ts';
import { AT, postgresKind } from '../../support/cloud/store.ts';

const MARKED = '<b>지수</b>가 올랐습니다.';

describe('a text with markup', () => {
  const fixture = bundleFixture(postgresKind);
  let parts: WholeParts;
  beforeEach(() => {
    parts = partsOn(openLedger(':memory:'), '2026-11-20T08:00:00.000Z');
    const at = '2026-11-20T00:00:00.000Z';
    parts.ledger.write((tx) =>
      publishPolicy(tx, { snapshot: SEED_POLICY, changes: [], actor: { kind: 'SYSTEM' }, at }),
    );
  });
  afterEach(() => parts.ledger.close());

  async function receive(): Promise<void> {
    const { text, to } = await fixture.ask(0, 500);
    const [body, bundleId] = [Buffer.from(text), crypto.randomUUID()];
    const row = { cursorFrom: 0, cursorTo: to ?? 0, bundleId, entryCount: to ?? 0, tenantId: 1, body };
    parts.ledger.write((tx) =>
      commitBundle(tx, { ...row, signature: null, statement: null, receivedAt: '2026-11-20T08:00:00.000Z' }),
    );
    while (applyNext(parts));
  }

  test('of v1 is delivered as it is, and waits for a reviewer who is told why', async () => {
    await fixture.take(live({ key: 'a', summary: MARKED }));
    await receive();
    expect(explanationRow(parts.ledger, 'res-a')).toMatchObject({ status: 'PENDING_REVIEW', summary: MARKED });
    const screening = parts.ledger.first(sqlite.selectFrom('screening').select('checks'));
    expect(JSON.parse(screening?.checks ?? '[]')).toContainEqual(
      expect.objectContaining({ verdict: 'REVIEW', code: 'TEXT_UNFIT', parameters: { MARKUP: '“<b>” (0-3)' } }),
    );
    expect(screening?.checks, 'codes are on record, and no sentences').not.toMatch(/[가-힣]/u);
  });

  test('of v2 is refused at the door, and one that comes from another door is exposed', async () => {
    const line = (summary: string): Buffer => Buffer.from(JSON.stringify(v2({ key: 'b', summary })));
    expect(() => readLoad(line(MARKED))).toThrow(expect.objectContaining({ code: 'TEXT_UNFIT' }));
    const { load, ...read } = readLoad(line('지수가 올랐습니다.'));
    if (load.mode !== 'V2') throw new Error('a load of v2 is one');
    await publish(fixture.store, { ...read, load: { ...load, analysis: { ...load.analysis, summary: MARKED } } }, AT);
    await receive();
    expect(explanationRow(parts.ledger, 'ana-b')).toMatchObject({ status: 'AUTO_PUBLISHED', summary: MARKED });
  });
});
