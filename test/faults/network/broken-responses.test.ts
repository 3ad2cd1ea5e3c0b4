/**
 * Faults 10 to 13 at the Intake: incomplete answers, on real sockets. An incomplete answer is not committed, the status
 * reports it, and a healthy cloud afterwards brings everything.
 */
import { randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { onWire, type Misbehaviour } from '../../support/scripted-cloud.ts';
import { begun, pullsInVain, type Left } from '../intake-fixture.ts';
import { newSeed } from '../../support/runs.ts';
import { placesIn } from '../places.ts';
import { bodyOf, bundleOf, invalidationAt } from '../truth.ts';
import { Seeded } from '../../support/seeded.ts';

const random = new Seeded(newSeed());

/** One entry, so that each of its bytes can be the last. */
const SMALL = invalidationAt(1, 'x', 'y');

describe('10: the answer is cut at every byte', () => {
  test.each([
    { over: 'HTTP', framing: 'LENGTH', ending: 'END' },
    { over: 'HTTP', framing: 'LENGTH', ending: 'RESET' },
    { over: 'HTTP', framing: 'CHUNKED', ending: 'END' },
    { over: 'TLS', framing: 'LENGTH', ending: 'RESET' },
    { over: 'TLS', framing: 'CHUNKED', ending: 'END' },
  ] as const)('$framing over $over, $ending', async ({ over, framing, ending }) => {
    const fixture = await begun({ over });
    const after = fixture.status().committedCursor;
    const body = bodyOf(bundleOf(after, [{ ...SMALL, cursor: after + 1 }]));
    const { length } = onWire(body, { framing }).bytes;
    expect(length).toBeGreaterThan(300);
    for (const cutAt of placesIn(length, random))
      await pullsInVain(fixture, () => onWire(body, { framing, cutAt, ending }), { state: 'RETRYING' });
    fixture.promises();
    await fixture.catchUp();
  });
  test('where the end of the line is the end of the answer, half of a JSON text is a violation (D33)', async () => {
    const fixture = await begun();
    const after = fixture.status().committedCursor;
    const body = bodyOf(bundleOf(after, [{ ...SMALL, cursor: after + 1 }]));
    const { length } = onWire(body, { framing: 'CLOSE' }).bytes;
    const head = length - body.length;
    let bodies = 0;
    for (const cutAt of placesIn(length, random)) {
      const inHead = cutAt < head;
      if (!inHead) bodies += 1;
      await pullsInVain(fixture, () => onWire(body, { framing: 'CLOSE', cutAt }), {
        state: inHead ? 'RETRYING' : 'VIOLATION',
        // The first twenty different ones tell what there is to tell.
        quarantined: inHead ? 0 : Math.min(bodies, 20),
      });
    }
    fixture.promises();
    await fixture.catchUp();
  });
});

describe('11: the announced length is not that of the body', () => {
  const wrong =
    (framing: Parameters<typeof onWire>[1]): Misbehaviour =>
    ({ honest }) =>
      onWire(honest().body, framing);
  test.each<[string, Misbehaviour, Left]>([
    [
      'one byte too few',
      ({ honest }) => onWire(honest().body, { declared: honest().body.length - 1 }),
      { state: 'VIOLATION', quarantined: 1 },
    ],
    [
      'one byte too many, then the end',
      ({ honest }) => onWire(honest().body, { declared: honest().body.length + 1, ending: 'END' }),
      { state: 'RETRYING' },
    ],
    [
      'one byte too many, then silence',
      ({ honest }) => onWire(honest().body, { declared: honest().body.length + 1, ending: 'HANG' }),
      { state: 'RETRYING', code: 'UND_ERR_BODY_TIMEOUT' },
    ],
    ['none of the body', wrong({ declared: 0 }), { state: 'VIOLATION', quarantined: 1 }],
    ['below zero', wrong({ declared: -1, ending: 'END' }), { state: 'RETRYING' }],
    ['no number', wrong({ declared: Number.NaN, ending: 'END' }), { state: 'RETRYING' }],
    ['more than there is memory', wrong({ declared: 2 ** 53, ending: 'END' }), { state: 'RETRYING' }],
    ['two that differ', wrong({ headers: { 'Content-Length': '3' }, ending: 'END' }), { state: 'RETRYING' }],
    [
      'a length beside chunks',
      wrong({ framing: 'CHUNKED', headers: { 'content-length': '3' }, ending: 'END' }),
      { state: 'RETRYING' },
    ],
  ])('%s', async (_, misbehaviour, left) => {
    const fixture = await begun();
    await pullsInVain(fixture, misbehaviour, left);
    fixture.promises();
    await fixture.catchUp();
  });
});

describe('12: the answer takes its time, or has no end', () => {
  const drip = { bytes: 1, everyMs: 20 };
  test.each<[string, Misbehaviour, Left]>([
    ['a byte at a time', ({ honest }) => ({ ...onWire(honest().body), drip }), { state: 'RETRYING', code: 'TIMEOUT' }],
    [
      'a body that stops half-way',
      ({ honest }) => onWire(honest().body, { cutAt: 300, ending: 'HANG' }),
      { state: 'RETRYING', code: 'UND_ERR_BODY_TIMEOUT' },
    ],
    [
      'a head that stops half-way',
      ({ honest }) => onWire(honest().body, { cutAt: 30, ending: 'HANG' }),
      { state: 'RETRYING', code: 'UND_ERR_HEADERS_TIMEOUT' },
    ],
    [
      'nothing at all',
      () => ({ bytes: Buffer.alloc(0), ending: 'HANG' }),
      { state: 'RETRYING', code: 'UND_ERR_HEADERS_TIMEOUT' },
    ],
    [
      'a body without end',
      () => ({
        ...onWire(Buffer.from('{"isSuccess":true,"x":"'), { framing: 'CLOSE' }),
        endless: Buffer.alloc(65_536, 'a'),
      }),
      { state: 'VIOLATION', code: 'TOO_LARGE' },
    ],
    [
      'white space without end',
      () => ({ ...onWire(bodyOf(), { framing: 'CLOSE' }), endless: Buffer.alloc(65_536, ' ') }),
      { state: 'VIOLATION', code: 'TOO_LARGE' },
    ],
    [
      'a head without end',
      () => ({
        bytes: Buffer.from('HTTP/1.1 200 OK\r\n'),
        ending: 'HANG',
        endless: Buffer.from('x-header: value\r\n'.repeat(4_000)),
      }),
      { state: 'RETRYING', code: 'UND_ERR_HEADERS_OVERFLOW' },
    ],
    [
      'an endless drip',
      () => ({ ...onWire(bodyOf(), { framing: 'CLOSE' }), endless: Buffer.from(' '), drip }),
      { state: 'RETRYING', code: 'TIMEOUT' },
    ],
  ])('%s', async (_, misbehaviour, left) => {
    const fixture = await begun({ bounds: { bytes: 1_000_000 } });
    await pullsInVain(fixture, misbehaviour, left);
    fixture.promises();
    await fixture.catchUp();
  });
});

test('13: the line breaks after the last byte: the received bundle is committed and never requested again', async () => {
  const fixture = await begun();
  for (const ending of ['RESET', 'END'] as const) {
    fixture.cloud.misbehave = ({ honest }) => onWire(honest().body, { ending });
    const { committedCursor } = fixture.status();
    await fixture.pull();
    expect(fixture.status().state).toBe('OK');
    expect(fixture.status().committedCursor).toBeGreaterThan(committedCursor);
  }
  fixture.promises();
  await fixture.catchUp();
  expect(new Set(fixture.cloud.asked.slice(0, -1)).size).toBe(fixture.cloud.asked.length - 1);
});

describe('bytes that are no answer of the contract', () => {
  const page = '<html><body>502 Bad Gateway</body></html>';
  const noise = randomBytes(3_000);
  test.each<[string, Misbehaviour, Left]>([
    ['noise instead of HTTP', () => ({ bytes: noise, ending: 'END' }), { state: 'RETRYING' }],
    ['noise as a body', () => onWire(noise), { state: 'VIOLATION', quarantined: 1 }],
    [
      'a page with status 200',
      () => onWire(Buffer.from(page), { headers: { 'content-type': 'text/html' } }),
      { state: 'VIOLATION', quarantined: 1 },
    ],
    ['an empty body', () => onWire(Buffer.alloc(0)), { state: 'VIOLATION', quarantined: 1 }],
    [
      'a packed body',
      ({ honest }) => onWire(gzipSync(honest().body), { headers: { 'content-encoding': 'gzip' } }),
      { state: 'VIOLATION', quarantined: 1 },
    ],
    [
      'a byte order mark',
      ({ honest }) => onWire(Buffer.concat([Buffer.from('\u{feff}'), honest().body])),
      { state: 'VIOLATION', quarantined: 1 },
    ],
    [
      'UTF-16',
      ({ honest }) => onWire(Buffer.from(honest().body.toString(), 'utf16le')),
      { state: 'VIOLATION', quarantined: 1 },
    ],
    [
      'a byte that is no UTF-8',
      ({ honest }) => onWire(Buffer.from(honest().body.toString('latin1').replace('KODEX', 'KO\u{e9}EX'), 'latin1')),
      { state: 'VIOLATION', quarantined: 1 },
    ],
    [
      'two answers in one body',
      ({ honest }) => onWire(Buffer.concat([honest().body, bodyOf()])),
      { state: 'VIOLATION', quarantined: 1 },
    ],
    ['null', () => onWire(Buffer.from('null')), { state: 'VIOLATION', quarantined: 1 }],
    ['a list', () => onWire(Buffer.from('[]')), { state: 'VIOLATION', quarantined: 1 }],
    ['an empty object', () => onWire(Buffer.from('{}')), { state: 'VIOLATION', quarantined: 1 }],
    // Sync protocol 4: without news the field is omitted, never null.
    [
      'result: null',
      () => onWire(Buffer.from(bodyOf(0).toString().replace('"result":0', '"result":null'))),
      { state: 'VIOLATION', quarantined: 1 },
    ],
    [
      'a failure with status 200',
      () => onWire(Buffer.from('{"isSuccess":false,"code":"COMMON500","message":"no"}')),
      { state: 'VIOLATION', quarantined: 1 },
    ],
  ])('%s', async (_, misbehaviour, left) => {
    const fixture = await begun();
    await pullsInVain(fixture, misbehaviour, left);
    fixture.promises();
    await fixture.catchUp();
  });
});
