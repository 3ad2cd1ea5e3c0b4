import { Tooltip } from '@mantine/core';
import type { ReactNode } from 'react';
import { segmentsOf, type TextRange } from '../../../shared/ui/text/segments.ts';
import type { WordHit } from '../../../shared/wire/console/console.ts';
import { useFactText } from '../figures/fact-text.ts';
import { lightOf } from '../figures/lights.ts';
import type { CheckedFigure } from '../../../shared/evidence/support.ts';
import { useText } from '../../i18n/use-text.ts';
import { useHitText } from './check-text.ts';
import classes from './texts.module.css';

/** A hit with its number in the list below the text. */
export interface NumberedHit extends WordHit {
  number: number;
}

/** Hits in the order of the text. */
export function numberHits(hits: readonly WordHit[]): NumberedHit[] {
  return hits
    .toSorted((one, other) => one.start - other.start || one.end - other.end)
    .map((hit, index) => ({ ...hit, number: index + 1 }));
}

/** A mark in the text: its label precedes it, its reason shows on focus or hover. */
interface Notice extends TextRange {
  key: string;
  /** Null: a figure that the evidence supports, which needs no check. */
  severity: 'BLOCK' | 'REVIEW' | 'FIGURE' | null;
  label: string;
  why: string;
  light?: string;
}

/**
 * The text with everything marked that a reviewer must check: a double line for BLOCK, a dashed one for REVIEW, a
 * dotted one for a figure that no evidence supports.
 */
export function MarkedText({
  text: shown,
  hits,
  figures,
}: {
  text: string;
  hits: readonly NumberedHit[];
  figures: readonly CheckedFigure[];
}): ReactNode {
  const text = useText();
  const sayHit = useHitText();
  const sayFact = useFactText();
  const notices: Notice[] = [
    ...hits.map((hit) => {
      const severity = text(`severity.${hit.severity}`);
      return {
        key: `hit ${hit.number}`,
        start: hit.start,
        end: hit.end,
        severity: hit.severity,
        label: `${severity} ${hit.number}`,
        why: `${hit.number}. ${severity} “${hit.word}” ${sayHit(hit)}`,
      };
    }),
    ...figures.map(({ start, end, support }) => {
      const light = lightOf({ start });
      if (support.state === 'supported')
        return { key: `figure ${start}`, start, end, severity: null, label: '', why: '', light };
      return {
        key: `figure ${start}`,
        start,
        end,
        light,
        severity: 'FIGURE' as const,
        label: text(`figure.${support.state}`),
        why: text(`figure.why.${support.state}`, { value: support.by === null ? '' : sayFact(support.by) }),
      };
    }),
  ];
  const segments = segmentsOf(shown, notices);
  return (
    <p className={classes['text']} lang="ko" data-reading>
      {segments.map(({ text: part, start, ranges }) =>
        ranges.every(({ severity }) => severity === null) ? (
          <span key={start} data-light={lightsIn(ranges)}>
            {part}
          </span>
        ) : (
          <Mark key={start} part={part} start={start} notices={ranges} />
        ),
      )}
    </p>
  );
}

const GRAVEST = ['BLOCK', 'REVIEW', 'FIGURE'] as const;

const lightsIn = (notices: readonly Notice[]): string | undefined => {
  const lights = notices.flatMap(({ light }) => light ?? []);
  return lights.length === 0 ? undefined : lights.join(' ');
};

function Mark({ part, start, notices }: { part: string; start: number; notices: readonly Notice[] }): ReactNode {
  const severity = GRAVEST.find((one) => notices.some((notice) => notice.severity === one));
  return (
    <Tooltip
      label={
        <span className={classes['why']}>
          {notices.flatMap(({ severity: grave, why }) => (grave === null ? [] : why)).join('\n')}
        </span>
      }
      inline
      maw={420}
      withArrow
    >
      <mark className={classes['mark']} data-severity={severity} data-light={lightsIn(notices)} tabIndex={0}>
        {notices
          .filter((notice) => notice.start === start && notice.severity !== null)
          .map((notice) => (
            <span key={notice.key} className={classes['markLabel']} data-severity={notice.severity}>
              {notice.label}
            </span>
          ))}
        {part}
      </mark>
    </Tooltip>
  );
}

/** Every hit as a row: the found text, how it matches its word, severity and reason. */
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
          {hit.reason !== undefined && <span className={classes['hitReason']}>{text(`reason.${hit.reason}`)}</span>}
        </li>
      ))}
    </ol>
  );
}
