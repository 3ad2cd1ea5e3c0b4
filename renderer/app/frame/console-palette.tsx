import { useQuery } from '@tanstack/react-query';
import { useDeferredValue, useState, type ReactNode } from 'react';
import { useLocation } from 'wouter';
import { ranked, type PaletteEntry } from '../../../shared/ui/palette/entries.ts';
import { Palette, type PaletteProps } from '../../../shared/ui/palette/palette.tsx';
import type { ExplanationItem } from '../../../shared/wire/console/console.ts';
import { useConsole } from '../../api/console-context.tsx';
import { useMay } from '../../api/session-context.ts';
import { useText } from '../../i18n/use-text.ts';

/** So many explanations are offered at once. */
const FOUND = 8;

/** The palette with the explanations that the API finds. */
export function ConsolePalette(props: Pick<PaletteProps, 'screens' | 'onLogOut'>): ReactNode {
  const text = useText();
  const [typed, setTyped] = useState('');
  const found = useFound(useDeferredValue(typed));
  return (
    <Palette
      {...props}
      title={text('palette.title')}
      placeholder={text('palette.placeholder')}
      found={found}
      onTyped={setTyped}
    />
  );
}

/** The palette's explanations, by ticker, name or text. */
function useFound(typed: string): PaletteEntry[] {
  const text = useText();
  const [, navigate] = useLocation();
  const { queries } = useConsole();
  const mayReview = useMay()('review.view');
  const { data } = useQuery({
    ...queries.explanations({ page: 1, size: FOUND, q: typed, sort: 'newest' }),
    enabled: typed !== '',
  });
  if (typed === '') return [];
  const placeOf = ({ id, status }: ExplanationItem): string =>
    `/${mayReview && status === 'PENDING_REVIEW' ? 'review' : 'explanations'}/${encodeURIComponent(id)}`;
  const namesOf = ({ etf_ticker: ticker, etf_name: name }: ExplanationItem) => ({ ticker, name });
  return ranked(data?.items ?? [], typed, namesOf).map((item) => ({
    id: `explanation-${item.id}`,
    kind: 'found',
    label: `${item.etf_ticker} ${item.etf_name}`,
    note: `${item.trade_date} · ${text(`status.${item.status}`)}`,
    run: () => navigate(placeOf(item)),
  }));
}
