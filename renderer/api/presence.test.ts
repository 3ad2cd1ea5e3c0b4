import { describe, expect, test } from 'vitest';
import { Presence } from './presence.ts';

/** A window whose user the test plays, and the requests that it sent. */
function bench() {
  let now = Date.parse('2026-11-20T09:00:00.000Z');
  const listeners = new Map<string, (event: Event) => void>();
  const marks: (string | null)[] = [];
  const presence = new Presence(
    { now: () => new Date(now) },
    { addEventListener: (type, listener) => void listeners.set(type, listener as (event: Event) => void) },
  );
  const fetch = presence.marking((_, init) => {
    marks.push(new Headers(init.headers).get('x-causeway-automatic'));
    return Promise.resolve(new Response());
  });
  return {
    marks,
    pass: (ms: number) => void (now += ms),
    sign: (type: string, isTrusted = true) => listeners.get(type)?.({ isTrusted } as Event),
    ask: (method = 'GET', headers: Record<string, string> = {}) => fetch('/api/v1/session', { method, headers }),
  };
}

describe('presence', () => {
  test('a read without a user present is marked; its other headers stay', async () => {
    const { ask, marks, pass } = bench();
    await ask();
    pass(5_000);
    await ask();
    pass(1);
    await ask('GET', { accept: 'application/json' });
    expect(marks).toEqual([null, null, '1']);
  });

  test.for(['pointerdown', 'keydown', 'wheel', 'touchstart'])('%s is a sign of a person', async (type) => {
    const { ask, marks, pass, sign } = bench();
    pass(60_000);
    sign(type);
    await ask();
    pass(60_000);
    await ask();
    expect(marks).toEqual([null, '1']);
  });

  test('a pointer that moves, a window that comes to the front and an event of a script do not count as presence', async () => {
    const { ask, marks, pass, sign } = bench();
    pass(60_000);
    sign('pointermove');
    sign('focus');
    sign('visibilitychange');
    sign('keydown', false);
    await ask();
    expect(marks).toEqual(['1']);
  });

  test("a change always counts as the user's, whenever it is sent", async () => {
    const { ask, marks, pass } = bench();
    pass(60_000);
    await ask('POST');
    expect(marks).toEqual([null]);
  });
});
