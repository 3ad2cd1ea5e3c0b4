import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { KeyRest, REST_MS } from './key-rest.ts';
import { PressGuard, type Press } from './press-guard.ts';
import type { Focused } from './shortcuts.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());
const begin = (): KeyRest => new KeyRest(() => performance.now());

describe('keys rest', () => {
  test('while a form is open, and no longer', () => {
    const keys = begin();
    expect(keys.rest()).toBe('none');
    const close = keys.open('form');
    vi.advanceTimersByTime(60_000);
    expect(keys.rest()).toBe('decisions');
    close();
    expect(keys.rest()).toBe('none');
  });

  test('all of them in a dialog, even with a form open', () => {
    const keys = begin();
    keys.open('form');
    const close = keys.open('dialog');
    expect(keys.rest()).toBe('all');
    close();
    expect(keys.rest()).toBe('decisions');
  });

  test('the key of a send, for half a second; another key acts at once', () => {
    const keys = begin();
    expect(keys.hasJustSent('Enter')).toBe(false);
    keys.sent('Enter');
    vi.advanceTimersByTime(REST_MS - 1);
    expect([keys.hasJustSent('Enter'), keys.hasJustSent('KeyU'), keys.rest()]).toEqual([true, false, 'none']);
    vi.advanceTimersByTime(1);
    expect(keys.hasJustSent('Enter')).toBe(false);
    keys.sent('Enter');
    keys.refused();
    expect(keys.hasJustSent('Enter')).toBe(false);
    // The modifier of a double press is no other key; one that opens a form is.
    keys.sent('Enter');
    for (const code of ['ControlLeft', 'Enter']) keys.pressed(code, false);
    expect(keys.hasJustSent('Enter')).toBe(true);
    keys.pressed('KeyR', false);
    expect(keys.hasJustSent('Enter')).toBe(false);
  });

  test('Space and Enter on an element that received the focus by program', () => {
    const keys = begin();
    vi.advanceTimersByTime(REST_MS);
    keys.arrive();
    vi.advanceTimersByTime(REST_MS - 1);
    expect([keys.hasJustOpened(), keys.rest()]).toEqual([true, 'none']);
    vi.advanceTimersByTime(1);
    expect(keys.hasJustOpened()).toBe(false);
  });

  test('Space and Enter of a place that has only just opened, until it closes', () => {
    const keys = begin();
    const close = keys.open('form');
    expect(keys.hasJustOpened()).toBe(true);
    close();
    expect(keys.hasJustOpened()).toBe(false);
  });

  test('Enter in a text field no longer once the person has typed into it', () => {
    const keys = begin();
    keys.pressed('KeyA', false);
    keys.open('form');
    vi.advanceTimersByTime(50);
    for (const code of ['ShiftLeft', 'Space', 'Enter', 'NumpadEnter']) keys.pressed(code, true);
    keys.pressed('Digit1', false);
    expect(keys.hasJustOpened(true)).toBe(true);
    keys.pressed('KeyB', true);
    expect([keys.hasJustOpened(true), keys.hasJustOpened()]).toEqual([false, true]);
  });

  test('the palette offers what they do; with a form open nothing that decides, in a dialog nothing', () => {
    const keys = begin();
    const act = (action: string, decides: boolean) => ({ action, code: 'KeyA', decides, run: () => undefined });
    const takeBack = keys.offer(() => [act('next', false), act('approve', true)]);
    const offered = (): string[] => keys.acts().map(({ action }) => action);
    expect(offered()).toEqual(['next', 'approve']);
    const close = keys.open('form');
    expect(offered()).toEqual(['next']);
    close();
    keys.open('dialog')();
    takeBack();
    expect(offered()).toEqual([]);
    keys.offer(() => [act('next', false)]);
    keys.open('dialog');
    expect(offered()).toEqual([]);
  });

  test('and notify subscribers of each change', () => {
    const keys = begin();
    const seen: string[] = [];
    const stop = keys.subscribe(() => seen.push(keys.rest()));
    const close = keys.open('form');
    close();
    // A place that closes twice tells nothing more.
    close();
    stop();
    keys.open('dialog');
    expect(seen).toEqual(['decisions', 'none']);
  });
});

const press = (code: string, more: Partial<Press> = {}): Press => ({
  code,
  repeat: false,
  ctrlKey: false,
  metaKey: false,
  isComposing: false,
  keyCode: 0,
  ...more,
});
const element = (tagName: string, type = 'text'): Focused => ({ tagName, type, getAttribute: () => null });
const BUTTON = element('BUTTON');
const FIELD = element('INPUT');
const TEXT = element('TEXTAREA');

describe('Space and Enter', () => {
  const just = new PressGuard({ hasJustOpened: () => true });
  const long = new PressGuard({ hasJustOpened: () => false });

  test.each(['Space', 'Enter', 'NumpadEnter'])('%s presses no button of what has only just opened', (code) => {
    expect(just.refusesDown(press(code), BUTTON)).toBe(true);
    expect(long.refusesDown(press(code), BUTTON)).toBe(false);
    expect(long.refusesDown(press(code, { repeat: true }), BUTTON)).toBe(true);
  });

  test('act on text at once', () => {
    expect(just.refusesDown(press('Space'), FIELD)).toBe(false);
    expect(just.refusesDown(press('Enter'), TEXT)).toBe(false);
    expect(just.refusesDown(press('Enter', { repeat: true }), TEXT)).toBe(false);
    expect(just.refusesDown(press('KeyA'), BUTTON)).toBe(false);
    expect(just.refusesDown(press('Space'), element('BODY'))).toBe(false);
  });

  test('Enter sends no form from a field that has just opened; Ctrl+Enter does, once', () => {
    expect(just.refusesDown(press('Enter'), FIELD)).toBe(true);
    expect(just.refusesDown(press('Enter'), element('INPUT', 'radio'))).toBe(true);
    expect(just.refusesDown(press('Enter', { ctrlKey: true }), TEXT)).toBe(false);
    expect(just.refusesDown(press('Enter', { ctrlKey: true, repeat: true }), TEXT)).toBe(true);
  });

  test.each([{ isComposing: true, keyCode: 13 }, { keyCode: 229 }])(
    'Enter and Escape of a syllable that is composed reach nothing (%o)',
    (composing) => {
      for (const code of ['Enter', 'NumpadEnter', 'Escape'])
        for (const ctrlKey of [true, false])
          expect(long.refusesDown(press(code, { ...composing, ctrlKey }), TEXT)).toBe(true);
      // The letters of the syllable are typed.
      for (const code of ['KeyA', 'Space']) expect(long.refusesDown(press(code, composing), TEXT)).toBe(false);
    },
  );

  test('a Space pressed down elsewhere presses nothing where it is released', () => {
    long.refusesDown(press('Space'), element('BODY'));
    expect(long.refusesUp(press('Space'), BUTTON)).toBe(true);
    long.refusesDown(press('Space'), BUTTON);
    expect(long.refusesUp(press('Space'), BUTTON)).toBe(false);
  });
});

describe('the second half of a double click', () => {
  const guard = new PressGuard({ hasJustOpened: () => false });

  test('presses nothing that the first half moved under the pointer', () => {
    expect(guard.refusesClick(1, 'opens')).toBe(false);
    expect(guard.refusesClick(2, 'sends')).toBe(true);
    expect(guard.refusesClick(3, 'sends')).toBe(true);
    expect(guard.refusesClick(1, 'sends')).toBe(false);
  });

  test('presses the same element again, and selects words', () => {
    expect(guard.refusesClick(1, 'next month')).toBe(false);
    expect(guard.refusesClick(2, 'next month')).toBe(false);
    expect(guard.refusesClick(2, null)).toBe(false);
    expect(guard.refusesClick(0, 'by a key')).toBe(false);
  });
});
