import { VisuallyHidden } from '@mantine/core';
import { useMemo, type ReactNode } from 'react';
import { useSharedText } from '../i18n/use-text.ts';
import { countChanges, diffBySyllable } from './diff.ts';
import classes from './text.module.css';

/**
 * The difference of two texts: removed words struck through between minus signs, added words underlined between plus
 * signs, so that it reads without colour and in a grey screenshot.
 */
export function DiffView({ before, after }: { before: string; after: string }): ReactNode {
  const text = useSharedText();
  const pieces = useMemo(() => diffBySyllable(before, after), [before, after]);
  const { removed, added } = useMemo(() => countChanges(pieces), [pieces]);
  return (
    <div>
      <p className={classes['diffSummary']}>
        {removed + added === 0 ? text('diff.same') : text('diff.summary', { removed, added })}
      </p>
      <p className={classes['text']} lang="ko">
        {pieces.map((piece, index) => {
          switch (piece.kind) {
            case 'same':
              return <span key={index}>{piece.after}</span>;
            case 'removed':
              return (
                <del key={index} className={classes['removed']}>
                  <VisuallyHidden>{text('diff.removed')} </VisuallyHidden>
                  {piece.before}
                </del>
              );
            case 'added':
              return (
                <ins key={index} className={classes['added']}>
                  <VisuallyHidden>{text('diff.added')} </VisuallyHidden>
                  {piece.after}
                </ins>
              );
          }
        })}
      </p>
    </div>
  );
}
