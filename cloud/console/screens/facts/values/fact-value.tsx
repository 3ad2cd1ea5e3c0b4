import type { ReactNode } from 'react';
import { Tag } from '../../../../../shared/ui/parts/badge.tsx';
import { KstShortTime, KstTime } from '../../../../../shared/ui/time/times.tsx';
import { useText } from '../../../i18n/use-text.ts';
import runs from '../../../runs/runs.module.css';
import type { FieldKind } from './axes.ts';
import { factWords, type FactState } from './fact-words.ts';
import classes from './facts.module.css';

export interface FactValueProps {
  value: unknown;
  kind?: FieldKind;
  /** For a column with the zone in its heading. */
  isShort?: boolean;
}

/**
 * A value of the facts (operator API 2.5). An absent value, null and zero have a word and a shape of
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
  if (kind === 'instant' && typeof value === 'string' && value !== '')
    return isShort ? <KstShortTime at={value} /> : <KstTime at={value} precision="second" />;
  const { state, words } = factWords(text, value, kind);
  return <span className={SHAPES[state]}>{words}</span>;
}

const SHAPES: Readonly<Record<FactState, string | undefined>> = {
  absent: classes['absent'],
  null: runs['noSignal'],
  zero: classes['zero'],
  quiet: runs['quiet'],
  value: classes['word'],
};

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
