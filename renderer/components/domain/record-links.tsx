import type { ReactNode } from 'react';
import { Link } from 'wouter';
import type { ExplanationItem } from '../../../shared/wire/console/console.ts';
import { useMay } from '../../api/session-context.ts';
import { useText } from '../../i18n/use-text.ts';
import classes from './domain.module.css';

/** What was shown of a ticker on a day. */
export const shownAddress = (ticker: string, date: string): string =>
  `/shown?${new URLSearchParams({ ticker, date }).toString()}`;

/** From an explanation to what was shown of its ticker on its day, and to an inspector's request about them. */
export function RecordLinks({ item }: { item: Pick<ExplanationItem, 'etf_ticker' | 'trade_date'> }): ReactNode {
  const text = useText();
  const may = useMay();
  const { etf_ticker: ticker, trade_date: date } = item;
  return (
    <p className={classes['links']}>
      {may('shown.view') && <Link href={shownAddress(ticker, date)}>{text('shown.open')}</Link>}
      {may('inspection.answer') && (
        <Link href={`/inspection?${new URLSearchParams({ ticker, from: date, to: date }).toString()}`}>
          {text('inspection.open')}
        </Link>
      )}
    </p>
  );
}
