import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useLocation } from 'wouter';
import { containing, ranked, type PaletteEntry } from '../../../shared/ui/palette/entries.ts';
import type { FoundProps } from '../../../shared/ui/palette/palette.tsx';
import type { ExplanationItem } from '../../../shared/wire/console/console.ts';
import { useConsole } from '../../api/console-context.tsx';
import { shownAddress } from '../../components/domain/record-links.tsx';
import { recentOf } from '../../components/domain/recent.ts';
import { useMay, useProfile } from '../../api/session-context.ts';
import { useText } from '../../i18n/use-text.ts';

/** Most explanations offered at once. */
const FOUND = 8;
/** Most words offered at once. */
const FEW = 3;
/** The members among whom a name is looked for. */
const MEMBERS = 100;

/**
 * What is found for a typed text: explanations by ticker, name or text, what was shown of the instrument that fits best,
 * words, saved views and members. Without a text: the explanations that were opened last.
 */
export function FoundEntries({ typed, children }: FoundProps): ReactNode {
  const text = useText();
  const [, navigate] = useLocation();
  const { queries } = useConsole();
  const may = useMay();
  const client = useQueryClient();
  const { id: memberId } = useProfile();
  const mayReview = may('review.view');
  const { data } = useQuery({
    ...queries.explanations({ page: 1, size: FOUND, q: typed, sort: 'newest' }),
    enabled: typed !== '',
  });
  const words = useQuery({
    ...queries.words({ page: 1, size: FEW, q: typed }),
    enabled: typed !== '' && may('policy.view'),
  }).data;
  const views = useQuery({ ...queries.views, enabled: typed !== '' }).data;
  const mayManage = may('members.manage');
  const members = useQuery({
    ...queries.members({ page: 1, size: MEMBERS }),
    enabled: typed !== '' && mayManage,
  }).data;
  const entry = (id: string, label: string, note: string, href: string): PaletteEntry => ({
    id,
    kind: 'found',
    label,
    note,
    run: () => navigate(href),
  });
  if (typed === '')
    return children(
      recentOf(client, memberId).map(({ id, name, href }) => entry(`recent-${id}`, name, text('palette.recent'), href)),
    );
  const placeOf = ({ id, status }: ExplanationItem): string =>
    `/${mayReview && status === 'PENDING_REVIEW' ? 'review' : 'explanations'}/${encodeURIComponent(id)}`;
  const namesOf = ({ etf_ticker: ticker, etf_name: name }: ExplanationItem) => ({ ticker, name });
  const found = ranked(data?.items ?? [], typed, namesOf);
  const best = may('shown.view') ? found.slice(0, 1) : [];
  return children([
    ...found.map((item) =>
      entry(
        `explanation-${item.id}`,
        `${item.etf_ticker} ${item.etf_name}`,
        `${item.trade_date} · ${text(`status.${item.status}`)}`,
        placeOf(item),
      ),
    ),
    ...best.map(({ etf_ticker: ticker, etf_name: name, trade_date: date }) =>
      entry(`shown-${ticker}`, `${text('nav.shown')}: ${ticker} ${name}`, date, shownAddress(ticker, date)),
    ),
    ...(words?.items ?? []).map(({ id, word }) =>
      entry(`word-${id}`, word, text('policy.words'), `/policy/words?${new URLSearchParams({ q: word })}`),
    ),
    ...containing(views?.items ?? [], typed, ({ name }) => name).map(({ id, name, screen, search }) =>
      entry(`view-${id}`, name, text('views.title'), `/${screen}${search}`),
    ),
    ...containing(mayManage ? (members?.items ?? []) : [], typed, (one) => `${one.displayName} ${one.username}`).map(
      ({ id, displayName, username }) =>
        entry(`member-${id}`, `${displayName} (${username})`, text('settings.members'), '/settings/members'),
    ),
  ]);
}
