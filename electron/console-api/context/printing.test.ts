/** The page of a dossier is printed from the reading that it shows, by the person who read it. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Asked } from '../../../agent/ledger/dossier/collect.ts';
import type { Collection } from '../../../agent/ledger/dossier/make.ts';
import { Printing } from './printing.ts';

const AT = new Date('2026-11-20T09:00:00.000Z');
const later = (ms: number): Date => new Date(AT.getTime() + ms);
const ASKED = { kind: 'EXPLANATION', id: 'a' } as unknown as Asked;
const OTHER = { kind: 'EXPLANATION', id: 'b' } as unknown as Asked;
const READ = { collected: {}, at: AT } as Collection;

let printing: Printing;
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  printing = new Printing();
  printing.keep('kim', ASKED, READ);
});
afterEach(() => void vi.useRealTimers());

test('once', () => {
  expect(printing.take('kim', ASKED, later(120_000))).toBe(READ);
  expect(printing.take('kim', ASKED, AT)).toBeNull();
});

test('not for another person or another dossier', () => {
  expect([printing.take('lee', ASKED, AT), printing.take('kim', OTHER, AT)]).toEqual([null, null]);
  expect(printing.take('kim', ASKED, AT)).toBe(READ);
});

test('not after another page was read, which is kept instead', () => {
  const next = { ...READ };
  printing.keep('kim', OTHER, next);
  expect([printing.take('kim', ASKED, AT), printing.take('kim', OTHER, AT)]).toEqual([null, next]);
});

test('for two minutes, and then it leaves the memory', () => {
  expect(printing.take('kim', ASKED, later(120_001))).toBeNull();
  printing.keep('kim', ASKED, READ);
  vi.advanceTimersByTime(119_999);
  printing.keep('kim', OTHER, READ);
  vi.advanceTimersByTime(119_999);
  expect(printing.take('kim', OTHER, AT)).toBe(READ);
  printing.keep('kim', OTHER, READ);
  vi.advanceTimersByTime(120_000);
  expect(printing.take('kim', OTHER, AT)).toBeNull();
});
