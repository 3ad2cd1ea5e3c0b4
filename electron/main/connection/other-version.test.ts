import type { Session } from 'electron';
import { expect, test } from 'vitest';
import { versionsText, type Versions } from '../../../shared/wire/version.ts';
import { misfitOf, watchPageVersions } from './other-version.ts';

const OWN: Versions = { product: '1.2.0', levels: { api: 5, program: 2 } };
const told = (product: string, program: number): string => versionsText({ product, levels: { api: 9, program } });

test.each([
  ['the same', told('1.2.0', 2), null],
  ['another one that fits', told('1.4.0', 2), null],
  ['one that does not tell', null, null],
  ['an answer of something else', 'nginx', null],
  ['a newer console', told('1.3.0', 3), 'program'],
  ['an older console', told('1.1.0', 1), 'console'],
  ['another major version', told('2.0.0', 2), 'program'],
])('%s', (_name, header, older) => {
  expect(misfitOf(header, OWN)?.kind).toBe(older === null ? undefined : 'other-version');
  if (older !== null) expect(misfitOf(header, OWN)).toMatchObject({ older });
});

test('pages of the console are checked, with the header in any case', () => {
  type Listener = (
    details: { url: string; responseHeaders?: Record<string, string[]> },
    go: (answer: object) => void,
  ) => void;
  let listener: Listener = () => undefined;
  const session = { webRequest: { onHeadersReceived: (_filter: object, given: Listener) => void (listener = given) } };
  const seen: (string | null)[] = [];
  watchPageVersions(
    session as unknown as Session,
    (url) => url.startsWith('https://console/'),
    (header) => seen.push(header),
  );
  const gone: object[] = [];
  listener({ url: 'https://console/review', responseHeaders: { 'X-Causeway-Version': ['a'] } }, (go) => gone.push(go));
  listener({ url: 'https://console/', responseHeaders: {} }, (go) => gone.push(go));
  listener({ url: 'https://elsewhere/', responseHeaders: { 'x-causeway-version': ['b'] } }, (go) => gone.push(go));
  expect([seen, gone]).toEqual([
    ['a', null],
    [{}, {}, {}],
  ]);
});
