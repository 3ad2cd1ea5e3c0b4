import type { ReactNode } from 'react';
import type { ReviewItem } from '../../../../shared/wire/console/console.ts';
import { useText } from '../../../i18n/use-text.ts';
import classes from '../item/review.module.css';
import { excerptOf } from './excerpt.ts';

/** The words around the first hit; without one, which checks failed, and the beginning of the text. */
export function ExcerptText({ item: { summary, reasons } }: { item: ReviewItem }): ReactNode {
  const text = useText();
  const { before, hit, after } = excerptOf(summary, reasons);
  const checks = reasons.map(({ check }) => text(reasons.length === 1 ? `check.${check}` : `check.${check}.short`));
  return (
    <span className={classes['excerpt']}>
      {hit === null && checks.length > 0 && <b>{checks.join(' · ')} </b>}
      <span lang="ko">
        {before}
        {hit !== null && <mark data-severity={hit.severity}>{hit.text}</mark>}
        {after}
      </span>
    </span>
  );
}
