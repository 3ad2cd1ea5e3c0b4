import { VisuallyHidden } from '@mantine/core';
import type { ReactNode } from 'react';
import { isSuspectReturn } from '../../wire/suspect-return.ts';
import { useSharedText } from '../i18n/use-text.ts';
import { Tag } from './badge.tsx';
import { Glyph } from './glyphs.tsx';
import { directionOf, percentText } from './percent.ts';
import classes from './return-value.module.css';

/** A measured return: shape, sign and number; colours as in Korean markets. Not measured is not zero. */
export function ReturnValue({ ratio }: { ratio: number | null }): ReactNode {
  const text = useSharedText();
  if (ratio === null) return <span className={classes['none']}>{text('return.notMeasured')}</span>;
  const direction = directionOf(ratio);
  return (
    <span className={classes['return']} data-direction={direction}>
      <Glyph name={direction} size={9} />
      <VisuallyHidden>{text(`return.${direction}`)} </VisuallyHidden>
      {percentText(ratio)}
      {isSuspectReturn(ratio) && (
        <Tag tone="bad" glyph="warning">
          {text('return.suspect')}
        </Tag>
      )}
    </span>
  );
}
