import { describe, expect, test } from 'vitest';
import { type Versions, versionsText } from '../../../shared/wire/version.ts';
import { VersionWatch } from './version-watch.ts';

const OWN: Versions = { product: '1.2.0', levels: { api: 3, program: 1 } };

/** A page whose API the test scripts. */
function bench() {
  const watch = new VersionWatch(OWN);
  const asked: string[] = [];
  let told: string | null = null;
  const fetch = watch.watching((_input, init) => {
    asked.push(init.method ?? '');
    return Promise.resolve(new Response('{}', { headers: told === null ? {} : { 'x-causeway-version': told } }));
  });
  let changes = 0;
  watch.subscribe(() => changes++);
  return {
    watch,
    asked,
    changes: () => changes,
    ask: (method = 'GET') => fetch('/api/v1/session', { method }),
    become: (product: string, api = 3) => (told = versionsText({ product, levels: { api, program: 1 } })),
  };
}

describe('the version behind the page', () => {
  test('an API that sends no version is not judged', async () => {
    const { watch, ask, changes } = bench();
    await ask();
    expect([watch.state, watch.isOver, changes()]).toEqual([
      { api: null, difference: null, lacksFiles: false },
      false,
      0,
    ]);
  });

  test('an equal version notifies once and changes nothing', async () => {
    const { watch, ask, become, changes } = bench();
    become('1.2.0');
    for (let i = 0; i < 3; i++) await ask();
    expect([watch.state.api, watch.isOver, changes()]).toEqual(['1.2.0', false, 1]);
  });

  test('a compatible version lets the page go on, until a file is missing', async () => {
    const { watch, ask, become } = bench();
    become('1.3.0');
    await ask('POST');
    expect([watch.state.difference, watch.isOver]).toMatchObject([{ older: 'OWN', isIncompatible: false }, false]);
    watch.lackFile();
    expect(watch.isOver).toBe(true);
  });

  test('a missing file under the same version is no version difference', async () => {
    const { watch, ask, become } = bench();
    become('1.2.0');
    watch.lackFile();
    await ask();
    expect(watch.isOver).toBe(false);
    become('1.2.1');
    await ask();
    expect(watch.isOver).toBe(true);
  });

  test('an incompatible version under an open page gets no writes, and reads find the way back', async () => {
    const { watch, asked, ask, become } = bench();
    become('1.2.0');
    await ask();
    become('1.3.0', 4);
    await ask();
    expect([watch.isOver, watch.state.difference]).toMatchObject([
      true,
      { own: '1.2.0', theirs: '1.3.0', older: 'OWN' },
    ]);
    await expect(ask('POST')).rejects.toThrow(TypeError);
    await expect(ask('DELETE')).rejects.toThrow(TypeError);
    expect(asked).toEqual(['GET', 'GET']);
    become('1.2.0');
    await ask();
    await ask('POST');
    expect([watch.isOver, asked.at(-1)]).toEqual([false, 'POST']);
  });
});
