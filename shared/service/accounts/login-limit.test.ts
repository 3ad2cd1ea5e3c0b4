/** How many attempts to log in are accepted, from where, and which refusals are recorded (D9, D72). */
import { beforeEach, describe, expect, test } from 'vitest';
import { ApiError } from '../../wire/envelope.ts';
import { LoginLimit } from './login-limit.ts';

const MINUTE_MS = 60_000;
const WINDOW_MS = 15 * MINUTE_MS;

let now: Date;
let limit: LoginLimit;
let recorded: string[];
beforeEach(() => {
  now = new Date('2026-11-20T09:00:00.000Z');
  limit = new LoginLimit({ now: () => now });
  recorded = [];
});

const pass = (ms: number): void => {
  now = new Date(now.getTime() + ms);
};

/** The delay of an attempt in ms, or `refused`. */
async function attempt(name: string | null, address = '10.0.0.1', record?: () => unknown): Promise<number | 'refused'> {
  try {
    return await limit.begin(name, address, record ?? ((refused) => recorded.push(refused.limit)));
  } catch (error) {
    if (error instanceof ApiError && error.code === 'COMMON429') return 'refused';
    throw error;
  }
}

async function attempts(count: number, name: string | null, address?: string): Promise<(number | 'refused')[]> {
  const answers: (number | 'refused')[] = [];
  for (let at = 0; at < count; at += 1) answers.push(await attempt(name, address));
  return answers;
}
const accepted = (count: number): 0[] => Array.from({ length: count }, () => 0);

describe('a name at an address', () => {
  test('has ten attempts within a quarter of an hour, in upper and lower case together', async () => {
    expect(await attempts(9, 'kim')).toEqual(accepted(9));
    pass(MINUTE_MS);
    expect([await attempt('KIM'), await attempt('Kim')]).toEqual([0, 'refused']);
    // Neither another name there nor the name elsewhere is refused.
    expect([await attempt('lee'), await attempt('kim', '10.0.0.2')]).toEqual([0, 0]);
    pass(WINDOW_MS - MINUTE_MS - 1);
    expect(await attempt('kim')).toBe('refused');
    pass(1);
    expect(await attempts(10, 'kim')).toEqual([...accepted(9), 'refused']);
  });

  test('learns how long it is refused', async () => {
    await attempts(10, 'kim');
    pass(MINUTE_MS + 500);
    await expect(limit.begin('kim', '10.0.0.1', () => undefined)).rejects.toMatchObject({
      code: 'COMMON429',
      message: 'Too many attempts to log in: try again in 14 minutes.',
      retryAfterSeconds: 14 * 60,
    });
  });

  test('has no more attempts when they come at once', async () => {
    const answers = await Promise.all(Array.from({ length: 15 }, () => attempt('kim')));
    expect(answers.filter((answer) => answer === 'refused')).toHaveLength(5);
  });

  test('begins anew after a successful login', async () => {
    await attempts(10, 'kim');
    limit.succeed('KIM', '10.0.0.1');
    expect(await attempts(11, 'kim')).toEqual([...accepted(10), 'refused']);
  });

  test('gets back an attempt whose password was right, and no earlier one', async () => {
    for (let at = 0; at < 12; at += 1) {
      expect(await attempt('kim')).toBe(0);
      limit.discount('kim', '10.0.0.1');
    }
    await attempts(9, 'kim');
    expect(await attempt('kim')).toBe(0);
    limit.discount('kim', '10.0.0.1');
    expect(await attempts(2, 'kim')).toEqual([0, 'refused']);
  });
});

describe('an address', () => {
  test('has a hundred attempts, for all names together and for single sign-on', async () => {
    for (let at = 0; at < 60; at += 1) expect(await attempt(`n-${at}`)).toBe(0);
    expect(await attempts(41, null)).toEqual([...accepted(40), 'refused']);
    expect([await attempt('n-1'), await attempt('n-1', '10.0.0.2'), await attempt(null, '10.0.0.2')]).toEqual([
      'refused',
      0,
      0,
    ]);
    expect(recorded).toEqual(['address']);
  });

  test('gets back the attempts that succeeded', async () => {
    for (let at = 0; at < 120; at += 1) {
      expect(await attempt(`n-${at}`)).toBe(0);
      limit.succeed(`n-${at}`, '10.0.0.1');
    }
    await attempts(99, null);
    expect(await attempt(null)).toBe(0);
    limit.succeed(null, '10.0.0.1');
    expect(await attempts(2, null)).toEqual([0, 'refused']);
  });

  // The same client controls every address with the same first 64 bits.
  test.for([
    ['2001:db8:0:1::1', '2001:db8:0:1:ffff::9', true],
    ['2001:db8::1', '2001:DB8:0:0:1:2:3:4', true],
    ['2001:db8::1:ffff:0:0:1', '2001:db8:0:1::2', true],
    ['fe80::1%eth0', 'fe80::2', true],
    ['2001:db8:0:1::1', '2001:db8:0:2::1', false],
    ['10.0.0.1', '::ffff:10.0.0.1', true],
    ['10.0.0.1', '::ffff:10.0.0.2', false],
    ['::1', '10.0.0.1', false],
  ] as const)('%s and %s count as one: %s', async ([one, other, isOne]) => {
    await attempts(10, 'kim', one);
    expect(await attempt('kim', other)).toBe(isOne ? 'refused' : 0);
  });
});

describe('a name from all addresses together', () => {
  const from = (at: number): string => `10.1.${at}.1`;

  test('is delayed beyond thirty attempts, more each ten and five seconds at most, and never refused', async () => {
    const delays = [];
    for (let at = 0; at < 90; at += 1) delays.push(await attempt('kim', from(at)));
    expect(delays).toEqual(
      Array.from({ length: 90 }, (_, at) => (at < 30 ? 0 : Math.min(5_000, 1_000 * (1 + Math.floor((at - 30) / 10))))),
    );
    expect(await attempt('lee', from(1))).toBe(0);
    pass(WINDOW_MS);
    expect(await attempt('kim', from(1))).toBe(0);
  });

  test('gets back one attempt by a success', async () => {
    for (let at = 0; at < 30; at += 1) await attempt('kim', from(at));
    limit.succeed('kim', from(29));
    expect([await attempt('kim', from(30)), await attempt('kim', from(31))]).toEqual([0, 1_000]);
  });
});

describe('a refusal', () => {
  test('is recorded once a window for a name and for an address', async () => {
    await attempts(13, 'kim');
    await attempts(12, 'lee');
    expect(recorded).toEqual(['name', 'name']);
    pass(WINDOW_MS);
    await attempts(13, 'kim');
    expect(recorded).toEqual(['name', 'name', 'name']);
  });

  test('whose record failed is recorded at the next one', async () => {
    await attempts(10, 'kim');
    const failing = () => Promise.reject(new Error('the disk is full'));
    await expect(attempt('kim', '10.0.0.1', failing)).rejects.toThrow('the disk is full');
    expect([await attempt('kim'), await attempt('kim')]).toEqual(['refused', 'refused']);
    expect(recorded).toEqual(['name']);
  });
});

test('of all counts the oldest go first, so that made-up names do not fill the memory', async () => {
  await attempts(1, 'lee');
  await attempts(10, 'kim');
  await attempts(9, 'lee');
  // A name at an address is three counts, an address alone is one: the fifty thousand are full but for one.
  for (let at = 0; at < 16_665; at += 1) await attempt(`n-${at}`, `10.${Math.floor(at / 250)}.${at % 250}.2`);
  expect(await attempt('kim')).toBe('refused');
  await attempt(null, '10.0.0.3');
  expect([await attempt('lee'), await attempt('kim')]).toEqual(['refused', 0]);
});

describe('codes of a second factor', () => {
  const code = (name = 'kim'): 'counted' | 'refused' => {
    try {
      limit.beginCode(name);
      return 'counted';
    } catch (error) {
      if (error instanceof ApiError && error.code === 'COMMON429') return 'refused';
      throw error;
    }
  };
  const codes = (count: number) => Array.from({ length: count }, () => code());

  test('are limited to thirty a name within the window', () => {
    expect(new Set(codes(30))).toEqual(new Set(['counted']));
    expect([code('KIM'), code('lee')]).toEqual(['refused', 'counted']);
    pass(WINDOW_MS);
    expect(code()).toBe('counted');
  });

  test('count apart from passwords, and a right one does not count', async () => {
    for (let at = 0; at < 40; at += 1) {
      expect(code()).toBe('counted');
      limit.succeedCode('Kim');
    }
    codes(29);
    limit.succeed('kim', '10.0.0.1');
    expect([code(), code(), await attempt('kim')]).toEqual(['counted', 'refused', 0]);
  });
});
