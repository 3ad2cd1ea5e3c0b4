/** What a tenant tells of its applying, as the operator reads it in both languages (D230). */
import { I18nProvider } from '@lingui/react';
import type { ReactNode } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { Router } from 'wouter';
import { compiledI18n } from '../../../shared/ui/i18n/compiled-messages.ts';
import { APPLIED_STATES } from '../../../shared/wire/operator/constants.ts';
import { catalogues } from '../i18n/catalogues.ts';
import { AppliedBadge, NotApplied, RejectedEntries } from './applied.tsx';

const ISSUED = '2026-11-20T06:00:00.000Z';
const AT = '2026-11-20T06:00:00.840Z';

const draw = (language: 'ko' | 'en', node: ReactNode): string =>
  renderToStaticMarkup(
    <I18nProvider i18n={compiledI18n(catalogues, language)}>
      <Router ssrPath="/">{node}</Router>
    </I18nProvider>,
  );
const wordsOf = (html: string): string => html.replaceAll(/<[^>]*>/g, '');

test('a record: applied with its time and the time since its issue, not yet, or rejected with the code; never green', () => {
  const drawn = APPLIED_STATES.map((state) => {
    const told = { state, at: state === 'APPLIED' ? AT : null, code: state === 'REJECTED' ? ('FORM' as const) : null };
    return draw('ko', <AppliedBadge applied={told} issuedAt={ISSUED} />);
  });
  expect(drawn.map(wordsOf)).toEqual([
    '반영 제외: 형식 불일치 FORM',
    '반영 전 ',
    '반영 2026-11-20 15:00:00 KST · 발행 후 0.8초',
  ]);
  expect(drawn.join('')).not.toContain('data-tone="good"');
  expect(draw('ko', <AppliedBadge applied={null} issuedAt={ISSUED} />)).toBe('');
});

test('a tenant: what needs an act, and each rejected entry with its code and the way to the analysis', () => {
  const record = { isWithdrawal: true, id: 'res/1', ticker: '069500', instrumentName: 'ETF' };
  const told = {
    ...{ at: AT, pending: 0, rejected: 22, held: 1 },
    entries: [
      { cursor: 7, code: 'TOO_LARGE' as const, record },
      { cursor: 3, code: 'OTHER' as const, record: null },
    ],
  };
  expect(wordsOf(draw('ko', <NotApplied applied={told} />)).trim()).toBe('반영 제외·보류 23건');
  expect(draw('en', <NotApplied applied={{ ...told, rejected: 0, held: 0 }} />)).toBe('');
  const drawn = draw('en', <RejectedEntries {...told} />);
  expect(drawn).toContain('href="/analyses/res%2F1"');
  expect(wordsOf(drawn.replaceAll('<li>', '\n'))).toBe(
    '22\nETF (069500), withdrawal too large TOO_LARGE\nRecord 3, no longer kept another reason OTHER\n20 more',
  );
});
