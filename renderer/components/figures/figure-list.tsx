import type { ReactNode } from 'react';
import { Tag, type Tone } from '../../../shared/ui/parts/badge.tsx';
import type { GlyphName } from '../../../shared/ui/parts/glyphs.tsx';
import { DataTable } from '../../../shared/ui/table/data-table.tsx';
import { useText } from '../../i18n/use-text.ts';
import classes from './figures.module.css';
import { useFactText } from './fact-text.ts';
import { lightOf } from './lights.ts';
import type { Fact } from '../../../shared/evidence/facts.ts';
import type { CheckedFigure, Support } from '../../../shared/evidence/support.ts';

const SUPPORT_LOOKS: Readonly<Record<Support['state'], { tone: Tone; glyph: GlyphName }>> = {
  supported: { tone: 'good', glyph: 'tick' },
  opposite: { tone: 'bad', glyph: 'cross' },
  unit: { tone: 'bad', glyph: 'cross' },
  headline: { tone: 'wait', glyph: 'warning' },
  unsupported: { tone: 'wait', glyph: 'unknown' },
};

export function SupportTag({ state }: { state: Support['state'] }): ReactNode {
  const text = useText();
  return <Tag {...SUPPORT_LOOKS[state]}>{text(`figure.${state}`)}</Tag>;
}

/** Every figure of a text as a row: its spelling, whether the evidence supports it, and by which value. */
export function FigureList({ figures }: { figures: readonly CheckedFigure[] }): ReactNode {
  const text = useText();
  if (figures.length === 0) return <p className={classes['quiet']}>{text('figure.none')}</p>;
  return (
    <DataTable
      label={text('figure.table')}
      rows={figures}
      idOf={({ start }) => start}
      lightOf={lightOf}
      isDense
      columns={[
        {
          id: 'written',
          head: text('figure.written'),
          kind: 'name',
          lang: 'ko',
          render: (figure) => (figure.support.state === 'supported' ? figure.text : <strong>{figure.text}</strong>),
        },
        {
          id: 'verdict',
          head: text('figure.verdict'),
          render: ({ support }) => <SupportTag state={support.state} />,
        },
        {
          id: 'by',
          head: text('figure.by'),
          render: ({ support }) => support.by !== null && <FactPlaceText fact={support.by} />,
        },
      ]}
    />
  );
}

/** The value in words; its stored place and form on demand. */
function FactPlaceText({ fact }: { fact: Fact }): ReactNode {
  const sayFact = useFactText();
  return (
    <details className={classes['fact']}>
      <summary>{sayFact(fact)}</summary>
      <code className={classes['path']}>
        {fact.path} = {fact.shown}
      </code>
    </details>
  );
}
