/** The demo's engine and the consoles: each type of event that it names has a name there. */
import { expect, test } from 'vitest';
import { readDemo } from '../../../cloud/demo/generation/reader.ts';
import { koEventTypes } from '../../../shared/ui/i18n/ko-event-types.ts';

test('each type of event that the demo names has a name in the consoles', () => {
  const { reference, stories } = readDemo();
  const codes = [
    ...reference.flatMap(({ lineage }) => lineage.source_events.map(({ event_type_code }) => event_type_code)),
    ...stories.flatMap(({ documents }) => documents.flatMap(([, code]) => code.match(/[A-Z_]+/g) ?? [])),
  ];
  expect(codes.length).toBeGreaterThan(0);
  expect(codes.filter((code) => !(`eventType.${code}` in koEventTypes))).toEqual([]);
});
