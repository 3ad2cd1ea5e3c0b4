import type { ReactNode } from 'react';
import { Tag } from '../../../shared/ui/parts/badge.tsx';
import { KstShortTime, KstTime } from '../../../shared/ui/time/times.tsx';
import { useText } from '../i18n/use-text.ts';
import runs from '../runs/runs.module.css';
import type { FieldKind } from './axes.ts';
import classes from './facts.module.css';

export interface FactValueProps {
  value: unknown;
  kind?: FieldKind;
  /** In a column whose heading names the zone. */
  isShort?: boolean;
}

/**
 * A value of the facts (document 2, absence convention). What is absent, null and zero have a word and a shape of
 * their own each.
 */
export function FactValue({ value, kind = 'word', isShort = false }: FactValueProps): ReactNode {
  const text = useText();
  if (kind === 'mark')
    return value === true ? (
      <Tag tone="bad" glyph="gap">
        {text('facts.mark')}
      </Tag>
    ) : (
      <span className={runs['quiet']}>{text('facts.noMark')}</span>
    );
  if (value === undefined) return <span className={classes['absent']}>{text('facts.absent')}</span>;
  if (value === null) return <span className={runs['noSignal']}>{text('facts.null')}</span>;
  if (value === 0) return <span className={classes['zero']}>{0}</span>;
  if (typeof value === 'number') return value.toLocaleString('en-US', { maximumFractionDigits: 4 });
  if (typeof value === 'boolean') return text(value ? 'facts.yes' : 'facts.no');
  if (Array.isArray(value)) return text('facts.entries', { count: value.length });
  if (typeof value !== 'string') return text('facts.object');
  if (value === '') return <span className={runs['quiet']}>{text('facts.empty')}</span>;
  if (kind === 'instant') return isShort ? <KstShortTime at={value} /> : <KstTime at={value} precision="second" />;
  return <span className={classes['word']}>{value}</span>;
}

export function FactLegend(): ReactNode {
  const text = useText();
  return (
    <p className={runs['legend']} role="note" aria-label={text('facts.legend')}>
      <span>
        <FactValue value={0} /> {text('facts.legend.zero')}
      </span>
      <span>
        <FactValue value={null} /> {text('facts.legend.null')}
      </span>
      <span>
        <FactValue value={undefined} /> {text('facts.legend.absent')}
      </span>
    </p>
  );
}
