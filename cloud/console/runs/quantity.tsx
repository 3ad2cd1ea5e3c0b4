import type { ReactNode } from 'react';
import { useText } from '../i18n/use-text.ts';
import classes from './runs.module.css';

/**
 * A number of the ledger. Zero, a missing signal of the ledger (null), and an unmeasured value (undefined) look
 * different.
 */
export function Quantity({ value }: { value: number | null | undefined }): ReactNode {
  const text = useText();
  if (value === undefined) return <span className={classes['unmeasured']}>{text('quantity.unmeasured')}</span>;
  if (value === null) return <span className={classes['noSignal']}>{text('quantity.null')}</span>;
  return value.toLocaleString('en-US');
}

export function QuantityLegend(): ReactNode {
  const text = useText();
  return (
    <p className={classes['legend']}>
      <span>
        <Quantity value={0} /> {text('quantity.legend.zero')}
      </span>
      <span>
        <Quantity value={null} /> {text('quantity.legend.null')}
      </span>
    </p>
  );
}
