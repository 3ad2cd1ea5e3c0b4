import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useLocation } from 'wouter';
import { ranked, type PaletteEntry } from '../../../shared/ui/palette/entries.ts';
import type { FoundProps } from '../../../shared/ui/palette/palette.tsx';
import type { ExplanationItem } from '../../../shared/wire/console/console.ts';
import { useConsole } from '../../api/console-context.tsx';
import { shownAddress } from '../../components/domain/record-links.tsx';
import { useMay } from '../../api/session-context.ts';
import { useText } from '../../i18n/use-text.ts';

/** Most explanations offered at once. */
const FOUND = 8;

/** Explanations, by ticker, name or text, for the palette; and what was shown of the instrument that fits best. */
export function FoundExplanations({ typed, children }: FoundProps): ReactNode {
  const text = useText();
  const [, navigate] = useLocation();
  const { queries } = useConsole();
  const may = useMay();
  const mayReview = may('review.view');
  const { data } = useQuery({
    ...queries.explanations({ page: 1, size: FOUND, q: typed, sort: 'newest' }),
    enabled: typed !== '',
  });
  if (typed === '') return children([]);
  const placeOf = ({ id, status }: ExplanationItem): string =>
    `/${mayReview && status === 'PENDING_REVIEW' ? 'review' : 'explanations'}/${encodeURIComponent(id)}`;
  const namesOf = ({ etf_ticker: ticker, etf_name: name }: ExplanationItem) => ({ ticker, name });
  const found = ranked(data?.items ?? [], typed, namesOf);
  const best = may('shown.view') ? found.slice(0, 1) : [];
  return children([
    ...found.map((item): PaletteEntry => ({
      id: `explanation-${item.id}`,
      kind: 'found',
      label: `${item.etf_ticker} ${item.etf_name}`,
      note: `${item.trade_date} · ${text(`status.${item.status}`)}`,
      run: () => navigate(placeOf(item)),
    })),
    ...best.map(({ etf_ticker: ticker, etf_name: name, trade_date: date }): PaletteEntry => ({
      id: `shown-${ticker}`,
      kind: 'found',
      label: `${text('nav.shown')}: ${ticker} ${name}`,
      note: date,
      run: () => navigate(shownAddress(ticker, date)),
    })),
  ]);
}
