/** The size limits of an entry and a bundle, on both stores (`shared/wire/bundle.ts`). */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FULL_BUNDLE_BYTES, MAX_BODY_BYTES, MAX_ENTRY_BYTES } from '../../shared/wire/bundle-endpoint.ts';
import { largestEntryBytes } from '../ingest/entry-size.ts';
import { bundleFixture } from '../../test/support/cloud/bundle-fixture.ts';
import { live, read } from '../../test/support/cloud/loads.ts';
import { STORE_KINDS } from '../../test/support/cloud/store.ts';
import { runs } from '../../test/support/runs.ts';

test('the fullest bundle and its envelope fit a body with room to spare', () =>
  expect(2 * (FULL_BUNDLE_BYTES + MAX_ENTRY_BYTES + 1_024)).toBeLessThan(MAX_BODY_BYTES));

describe.each(STORE_KINDS)('bounds of the bundle on %s', (_name, makeKind) => {
  const fixture = bundleFixture(makeKind);
  const { take, ask } = fixture;

  test('a bundle ends with the entry that fills it, is never empty, and the next one continues without a gap', async () => {
    const sizes = [300, 5_000, 10, 10, 9_000, 9_000, 10];
    for (const [index, size] of sizes.entries())
      await take(live({ key: `k${index}`, summary: 'ㅎ'.repeat(size), documents: 0 }));
    fixture.parts.fullBundleBytes = 20_000;
    const bundles: [number, number[]][] = [];
    for (let after = 0; ;) {
      const { text, body, to } = await ask(after);
      if (to === null) break;
      const entries = body.result?.entries ?? [];
      bundles.push([after, entries.map((entry) => Number(entry.cursor))]);
      const allButLast = entries.slice(0, -1).map((entry) => Buffer.byteLength(JSON.stringify(entry)));
      expect(allButLast.reduce((sum, bytes) => sum + bytes, 0)).toBeLessThan(fixture.parts.fullBundleBytes);
      expect(Buffer.byteLength(text)).toBeLessThan(fixture.parts.fullBundleBytes + 3 * 9_000 + 3_000);
      after = to;
    }
    // Three bytes each character: 1 to 5 have 43 KB, 6 alone 27 KB, and 7 is the rest.
    expect(bundles).toEqual([
      [0, [1, 2, 3, 4, 5]],
      [5, [6]],
      [6, [7]],
    ]);
    fixture.parts.fullBundleBytes = 1;
    expect(await ask(0)).toMatchObject({ entries: 1, to: 1 });
  });

  test('an entry is never larger than the door has computed, even after later loads filled its documents in', async () => {
    fixture.parts.calculations = true;
    const [SHOWN, ANY] = [
      ['a', '"', '\\', '한', '😀'],
      ['\u0001', '\n', '\u007f', '\u2028'],
    ];
    const text = (limit: number, ...units: string[]): fc.Arbitrary<string> =>
      fc.string({ unit: fc.constantFrom(...SHOWN, ...units), maxLength: limit / 2 });
    let key = 0;
    await fc.assert(
      fc.asyncProperty(
        text(300, ...ANY),
        text(100),
        fc.array(
          text(20).filter((id) => id !== ''),
          { maxLength: 30 },
        ),
        fc.double({ noDefaultInfinity: true, noNaN: true }),
        async (summary, title, items, observed) => {
          key += 1;
          const after = (await ask(Number.MAX_SAFE_INTEGER)).head;
          const load = live({ key: `p${key}`, summary: summary === '' ? 'x' : summary });
          load.trigger.observed_return = observed;
          load.lineage.documents = load.lineage.documents.map((document) => ({ ...document, title, item_ids: items }));
          load.lineage.disclosure_facts = load.lineage.disclosure_facts.map((fact) => ({
            ...fact,
            source_event_id: null,
          }));
          const { load: taken, calculations } = read(load);
          await take(load);
          const largest = largestEntryBytes(taken, calculations);
          const sizeNow = async (): Promise<number> => {
            const { text: body } = await ask(after, 1);
            return Buffer.byteLength(body.slice(body.indexOf('{"cursor":'), -']}}'.length));
          };
          expect(await sizeNow()).toBeLessThanOrEqual(largest);
          // The same documents and fact in a later run, with every field that may still be filled in at its longest.
          const wide = '가';
          const later = live({ key: `p${key}-later` });
          later.lineage = {
            ...load.lineage,
            documents: load.lineage.documents.map((document) => ({
              ...document,
              title: wide.repeat(1_000),
              published_at: '9999-12-31T23:59:59.999Z',
              source_uri: wide.repeat(2_000),
              news_id: wide.repeat(200),
            })),
            source_events: [
              ...load.lineage.source_events,
              {
                source_event_id: `${wide.repeat(190)}${key}`,
                source_class: 'DISCLOSURE',
                event_type_code: wide.repeat(100),
                event_date: '2026-11-20',
              },
            ],
            disclosure_facts: load.lineage.disclosure_facts.map((fact) => ({
              ...fact,
              source_event_id: `${wide.repeat(190)}${key}`,
            })),
          };
          await take(later);
          expect(await sizeNow()).toBeLessThanOrEqual(largest);
        },
      ),
      { numRuns: runs(3, 12) },
    );
  });
});
