import { Tooltip } from '@mantine/core';
import { useMemo, type ReactNode } from 'react';
import { segmentsOf } from '../../shared/ui/text/segments.ts';
import type { WordHit } from '../../shared/wire/console.ts';
import { useText } from '../i18n/use-text.ts';
import { useHitText } from './check-text.ts';
import classes from './review.module.css';

/** A hit with the number under which it stands in the list below the text. */
export interface NumberedHit extends WordHit {
  number: number;
}

/** Hits in the order of the text. */
export function numberHits(hits: readonly WordHit[]): NumberedHit[] {
  return hits
    .toSorted((one, other) => one.start - other.start || one.end - other.end)
    .map((hit, index) => ({ ...hit, number: index + 1 }));
}

/**
 * The text with every policy hit marked where it stands: a double line for BLOCK, a dashed one for
 * REVIEW, each with a label and the number of its entry in the list. Focus or hover says why.
 */
export function MarkedText({ text: shown, hits }: { text: string; hits: readonly NumberedHit[] }): ReactNode {
  const segments = useMemo(() => segmentsOf(shown, hits), [shown, hits]);
  return (
    <p className={classes['text']} lang="ko">
      {segments.map(({ text: part, start, ranges }) =>
        ranges.length === 0 ? (
          <span key={start}>{part}</span>
        ) : (
          <Mark key={start} part={part} start={start} hits={ranges} />
        ),
      )}
    </p>
  );
}

function Mark({ part, start, hits }: { part: string; start: number; hits: readonly NumberedHit[] }): ReactNode {
  const text = useText();
  const sayHit = useHitText();
  const severity = hits.some((hit) => hit.severity === 'BLOCK') ? 'BLOCK' : 'REVIEW';
  const beginning = hits.filter((hit) => hit.start === start);
  const why = hits
    .map((hit) => `${hit.number}. ${text(`severity.${hit.severity}`)} “${hit.word}” ${sayHit(hit)}`)
    .join('\n');
  return (
    <Tooltip label={<span className={classes['why']}>{why}</span>} inline maw={420} withArrow>
      <mark className={classes['mark']} data-severity={severity} tabIndex={0}>
        {beginning.map((hit) => (
          <span key={hit.number} className={classes['markLabel']} data-severity={hit.severity}>
            {text(`severity.${hit.severity}`)} {hit.number}
          </span>
        ))}
        {part}
      </mark>
    </Tooltip>
  );
}

/** Every hit as a row: what was found, by which word, how severe, why. */
export function HitList({ hits }: { hits: readonly NumberedHit[] }): ReactNode {
  const text = useText();
  const sayHit = useHitText();
  return (
    <ol className={classes['hits']}>
      {hits.map((hit) => (
        <li key={hit.number}>
          <span className={classes['markLabel']} data-severity={hit.severity}>
            {text(`severity.${hit.severity}`)} {hit.number}
          </span>
          <strong lang="ko">{hit.matched}</strong>
          <span>{sayHit(hit)}</span>
          <span className={classes['hitWord']}>
            {text('hit.word', { word: hit.word })} · {text(`hit.pass.${hit.pass}`)}
          </span>
        </li>
      ))}
    </ol>
  );
}
