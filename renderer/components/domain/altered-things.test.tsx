/** What differs from the audit log, as the screens of policy, members and audit warn of it in both languages (D199). */
import { I18nProvider } from '@lingui/react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { compiledI18n } from '../../../shared/ui/i18n/compiled-messages.ts';
import { THING_FAULTS, THING_KINDS, type AlteredThing } from '../../../shared/wire/console/audit.ts';
import { catalogues } from '../../i18n/catalogues.ts';
import { AlteredThings } from './altered-things.tsx';

const draw = (language: 'ko' | 'en', things: AlteredThing[]): string =>
  renderToStaticMarkup(
    <I18nProvider i18n={compiledI18n(catalogues, language)}>
      <AlteredThings things={things}>
        <p>more</p>
      </AlteredThings>
    </I18nProvider>,
  );
const sentences = (html: string): string[] =>
  [...html.matchAll(/<li>(.*?)<\/li>/g)].map(([, words]) => (words ?? '').replaceAll(/<[^>]*>/g, ''));

test('nothing is drawn where everything fits', () => expect(draw('ko', [])).toBe(''));

test('each thing is a sentence with its name and row, in an alert with what to do', () => {
  const things: AlteredThing[] = [
    { fault: 'ALTERED', kind: 'POLICY', name: '3', row: 41 },
    { fault: 'GONE', kind: 'ACCOUNT', name: null, row: 7 },
  ];
  const html = draw('ko', things);
  expect(html).toContain('role="alert"');
  expect(html).toContain('data-altered="2"');
  expect(html).toContain('<p>more</p>');
  const [policy, account] = sentences(html);
  expect(policy).toMatch(/3/);
  expect(policy).toMatch(/41/);
  expect(account).toMatch(/7/);
});

test('every fault of every kind has words of its own in both languages', () => {
  const all = THING_FAULTS.flatMap((fault) =>
    THING_KINDS.map((kind): AlteredThing => ({ fault, kind, name: 'x', row: 1 })),
  );
  for (const language of ['ko', 'en'] as const) {
    const said = sentences(draw(language, all));
    expect(new Set(said).size).toBe(all.length);
    expect(said.filter((one) => one.includes('altered.') || one.includes('{'))).toEqual([]);
  }
});
