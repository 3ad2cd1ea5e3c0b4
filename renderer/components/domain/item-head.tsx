import type { ReactNode } from 'react';
import { Glyph } from '../../../shared/ui/parts/glyphs.tsx';
import { Facts } from '../../../shared/ui/parts/panel.tsx';
import { ReturnValue } from '../../../shared/ui/parts/return-value.tsx';
import { KstTime, NoValue } from '../../../shared/ui/time/times.tsx';
import type { ExplanationItem } from '../../../shared/wire/console/console.ts';
import { useText } from '../../i18n/use-text.ts';
import { Approval, isApproved } from './approval.tsx';
import { typeText } from './type-text.ts';
import classes from './domain.module.css';
import { StatusBadge } from './status-badge.tsx';

type HeadedItem = Pick<
  ExplanationItem,
  | 'id'
  | 'etf_ticker'
  | 'etf_name'
  | 'market'
  | 'trade_date'
  | 'explanation_as_of'
  | 'content_as_of'
  | 'explanation_type'
  | 'confidence_level'
  | 'observed_return'
  | 'status'
  | 'receivedAt'
  | 'approvalNumber'
  | 'validUntil'
>;

/** The heading of a detail: the explanation, its measurement and times. */
export function ItemHead({
  item,
  headingId,
  badges,
  apartAt = `/explanations/${encodeURIComponent(item.id)}`,
}: {
  item: HeadedItem;
  headingId: string;
  badges?: ReactNode;
  /** The address of a window of its own; null inside that window. */
  apartAt?: string | null;
}): ReactNode {
  const text = useText();
  const type = item.explanation_type;
  return (
    <header className={classes['head']}>
      <div className={classes['headLine']}>
        <h2 id={headingId} tabIndex={-1} className={classes['heading']}>
          <span className={classes['ticker']}>{item.etf_ticker}</span> {item.etf_name}
        </h2>
        <ReturnValue ratio={item.observed_return} />
        <span className={classes['badges']}>
          <StatusBadge status={item.status} />
          {badges}
          {/* A browser opens a tab; the desktop program one window beside the queue. */}
          {apartAt !== null && (
            <a href={apartAt} target="_blank" rel="noopener noreferrer" className={classes['apart']}>
              {text('item.apart')} <Glyph name="external" size={10} />
            </a>
          )}
        </span>
      </div>
      <Facts
        isDense
        rows={[
          [text('field.tradeDate'), `${item.trade_date}${item.market === null ? '' : ` · ${item.market}`}`],
          [text('field.explainedAt'), <KstTime key="at" at={item.explanation_as_of} />],
          [text('field.contentAsOf'), <KstTime key="at" at={item.content_as_of ?? item.explanation_as_of} />],
          [text('field.receivedAt'), <KstTime key="at" at={item.receivedAt} />],
          [
            text('field.confidence'),
            item.confidence_level === null ? <NoValue key="none" /> : text(`confidence.${item.confidence_level}`),
          ],
          [text('field.type'), type === null ? <NoValue key="none" /> : <TypeName key="type" type={type} />],
          ...(isApproved(item)
            ? [[text('field.approval'), <Approval key="approval" item={item} />] as [string, ReactNode]]
            : []),
        ]}
      />
    </header>
  );
}

/** The contract names two types; any other is shown as received. */
function TypeName({ type }: { type: string }): ReactNode {
  const text = useText();
  const words = typeText(text, type);
  return words ?? <code>{type}</code>;
}
