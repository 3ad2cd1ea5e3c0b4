import { describe, expect, test } from 'vitest';
import type { SignInReturn } from '../../shared/wire/sign-in.ts';
import { createSignIn, type SignInPage } from './sign-in.ts';

const OFFER = { label: '사내 계정', passwords: true, programPort: 4310 };

interface Setting {
  path?: string;
  search?: string;
  from?: string;
  /** The desktop program's answers; absent in a browser. */
  program?: { listens: string | null; answer?: SignInReturn };
  refuses?: Error;
  signOutUrl?: string;
}

function open(setting: Setting = {}) {
  const happened: unknown[] = [];
  const kept = new Map(setting.from === undefined ? [] : [['causeway.sign-in.from', setting.from]]);
  const page: SignInPage = {
    location: {
      origin: 'https://console.firm',
      pathname: setting.path ?? '/review/1',
      search: setting.search ?? '',
      assign: (url) => void happened.push(['leave', url]),
    },
    history: { replaceState: (_state, _title, url) => void happened.push(['address', url]) },
    sessionStorage: {
      getItem: (key) => kept.get(key) ?? null,
      setItem: (key, value) => void kept.set(key, value),
      removeItem: (key) => void kept.delete(key),
    },
    document: {
      querySelector: (selector) =>
        selector === 'meta[name="causeway-sign-in"]' ? { getAttribute: () => JSON.stringify(OFFER) } : null,
    },
    open: (url) => void happened.push(['window', url]),
  };
  const { program } = setting;
  if (program !== undefined)
    page.causewayProgram = {
      signIn: {
        listen: async (port) => {
          happened.push(['listen', port]);
          return program.listens;
        },
        open: async (address) => {
          happened.push(['browser', address]);
          return program.answer ?? { kind: 'abandoned' };
        },
      },
    };
  const api = {
    beginSignIn: async (redirectUri: string) => `https://id.example/auth?back=${redirectUri}`,
    finishSignIn: async (returned: string) => {
      happened.push(['finish', returned]);
      if (setting.refuses !== undefined) throw setting.refuses;
      return { authenticated: true, role: 'OPERATOR', expiresAt: '' } as const;
    },
    logout: async () => ({ signOutUrl: setting.signOutUrl ?? null }),
  };
  return { service: createSignIn(api, page), happened, kept };
}

describe('in a browser', () => {
  test('the page goes to the provider, and remembers its address', async () => {
    const { service, happened, kept } = open({ search: '?q=1' });
    expect(service.offer).toEqual(OFFER);
    void service.signIn(OFFER);
    await expect
      .poll(() => happened)
      .toEqual([['leave', 'https://id.example/auth?back=https://console.firm/sso/callback']]);
    expect([...kept.values()]).toEqual(['/review/1?q=1']);
  });

  test('the returned page finishes the sign-in before it asks for the session, and shows the earlier address again', async () => {
    const { service, happened, kept } = open({ path: '/sso/callback', search: '?code=1&state=2', from: '/review/1' });
    await service.finishReturned();
    expect(happened).toEqual([
      ['address', '/review/1'],
      ['finish', 'code=1&state=2'],
    ]);
    expect([service.failure, kept.size]).toEqual([null, 0]);
  });

  test('a refusal is kept for the login screen, and no address leads out of the console', async () => {
    const refuses = new Error('no');
    const { service, happened } = open({ path: '/sso/callback', from: '//evil.example', refuses });
    await service.finishReturned();
    expect(service.failure).toBe(refuses);
    expect(happened[0]).toEqual(['address', '/']);
  });

  test('a logout leaves for the provider, if the provider names an address', async () => {
    const { service, happened } = open({ signOutUrl: 'https://id.example/end' });
    await service.signOut();
    expect(happened).toEqual([['leave', 'https://id.example/end']]);
    const quiet = open();
    await quiet.service.signOut();
    expect(quiet.happened).toEqual([]);
  });
});

describe('in the desktop program', () => {
  const listens = 'http://127.0.0.1:4310/sso/callback';

  test('the page stays, the browser goes to the provider, and the page finishes the sign-in', async () => {
    const { service, happened } = open({ program: { listens, answer: { kind: 'returned', query: 'code=1' } } });
    await service.signIn(OFFER);
    expect(happened).toEqual([
      ['listen', 4310],
      ['browser', `https://id.example/auth?back=${listens}`],
      ['finish', 'code=1'],
    ]);
  });

  test('a sign-in that does not return, or cannot begin, reports it', async () => {
    await expect(open({ program: { listens } }).service.signIn(OFFER)).rejects.toMatchObject({ kind: 'abandoned' });
    const taken = open({ program: { listens: null } });
    await expect(taken.service.signIn(OFFER)).rejects.toMatchObject({ kind: 'not-opened' });
    expect(taken.happened).toEqual([['listen', 4310]]);
  });

  test('the end of the session at the provider opens outside', async () => {
    const { service, happened } = open({ program: { listens }, signOutUrl: 'https://id.example/end' });
    await service.signOut();
    expect(happened).toEqual([['window', 'https://id.example/end']]);
  });
});
