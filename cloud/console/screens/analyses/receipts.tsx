import type { ReactNode } from 'react';
import { Badge, type Tone } from '../../../../shared/ui/parts/badge.tsx';
import type { GlyphName } from '../../../../shared/ui/parts/glyphs.tsx';
import { NoValue } from '../../../../shared/ui/time/times.tsx';
import type { Analysis } from '../../../../shared/wire/operator/operator.ts';
import { useText } from '../../i18n/use-text.ts';
import classes from './analyses.module.css';

export interface ReceiptsProps {
  receipts: Analysis['receipts'];
  /** Whether the receipts are of a withdrawal: one that waits too long is bad. */
  isWithdrawal: boolean;
}

/**
 * The number of tenants to which the current record was issued, and how many of them have it, wait, or never connected.
 */
export function Receipts({ receipts, isWithdrawal }: ReceiptsProps): ReactNode {
  const text = useText();
  if (receipts === null) return <NoValue />;
  const { total, received, neverConnected, overdue } = receipts;
  const waiting = total - received - neverConnected;
  const look: { tone: Tone; glyph: GlyphName } =
    waiting === 0
      ? { tone: 'good', glyph: 'approved' }
      : isWithdrawal && overdue > 0
        ? { tone: 'bad', glyph: 'refused' }
        : { tone: 'wait', glyph: 'waiting' };
  return (
    <span className={classes['receipts']}>
      <Badge {...look}>
        {text(isWithdrawal ? 'receipts.withdrawal' : 'receipts.publication', { total, received })}
      </Badge>
      {waiting > 0 && <span>{text('receipts.waiting', { waiting })}</span>}
      {neverConnected > 0 && (
        <span className={classes['never']}>{text('receipts.never', { never: neverConnected })}</span>
      )}
    </span>
  );
}
