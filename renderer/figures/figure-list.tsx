import type { ReactNode } from 'react';
import { Tag, type Tone } from '../../shared/ui/parts/badge.tsx';
import type { GlyphName } from '../../shared/ui/parts/glyphs.tsx';
import { useText } from '../i18n/use-text.ts';
import classes from './figures.module.css';
import type { Fact } from './facts.ts';
import type { CheckedFigure, Support } from './support.ts';

const SUPPORT_LOOKS: Readonly<Record<Support['state'], { tone: Tone; glyph: GlyphName }>> = {
  supported: { tone: 'good', glyph: 'tick' },
  opposite: { tone: 'bad', glyph: 'cross' },
  unit: { tone: 'bad', glyph: 'cross' },
  unsupported: { tone: 'wait', glyph: 'unknown' },
};

export function SupportTag({ state }: { state: Support['state'] }): ReactNode {
  const text = useText();
  return <Tag {...SUPPORT_LOOKS[state]}>{text(`figure.${state}`)}</Tag>;
}

/** Every figure of a text as a row: how it is written, whether the evidence bears it out, and which value does. */
export function FigureList({ figures }: { figures: readonly CheckedFigure[] }): ReactNode {
  const text = useText();
  if (figures.length === 0) return <p className={classes['quiet']}>{text('figure.none')}</p>;
  return (
    <table className={classes['figures']}>
      <thead>
        <tr>
          <th scope="col">{text('figure.written')}</th>
          <th scope="col">{text('figure.verdict')}</th>
          <th scope="col">{text('figure.by')}</th>
        </tr>
      </thead>
      <tbody>
        {figures.map((figure) => (
          <tr key={figure.start} data-state={figure.support.state}>
            <th scope="row" lang="ko">
              {figure.text}
            </th>
            <td>
              <SupportTag state={figure.support.state} />
            </td>
            <td>{figure.support.by !== null && <FactPlaceText fact={figure.support.by} />}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function FactPlaceText({ fact }: { fact: Fact }): ReactNode {
  const text = useText();
  return (
    <>
      <span lang={fact.evidence === null ? undefined : 'ko'}>{fact.evidence ?? text('figure.measured')}</span>{' '}
      <code className={classes['path']}>
        {fact.path} = {fact.shown}
      </code>
    </>
  );
}
