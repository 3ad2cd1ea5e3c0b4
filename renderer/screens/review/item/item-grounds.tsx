import { useCallback, useMemo, useRef, type ReactNode } from 'react';
import { EvidenceList } from '../../../../shared/ui/evidence/evidence-list.tsx';
import { fromStored, type EvidenceView } from '../../../../shared/evidence/evidence.ts';
import { SourceEvents } from '../../../../shared/ui/evidence/source-events.tsx';
import { Panel } from '../../../../shared/ui/parts/panel.tsx';
import type { ReviewDetail, StateChange } from '../../../../shared/wire/console/console.ts';
import { factsOf } from '../../../../shared/evidence/facts.ts';
import { useNameText } from '../../../components/figures/fact-text.ts';
import { FigureList } from '../../../components/figures/figure-list.tsx';
import { lightsOfEvidence, useLights } from '../../../components/figures/lights.ts';
import { checkFigures, openFigures, type CheckedFigure } from '../../../../shared/evidence/support.ts';
import { useText } from '../../../i18n/use-text.ts';
import { FoldedChecks } from './checks.tsx';
import { DisclaimerNote } from './disclaimer-note.tsx';
import { HitList, MarkedText, numberHits, type NumberedHit } from '../../../components/texts/marked-text.tsx';
import classes from './review.module.css';
import { WhyReview } from './why-review.tsx';

/** The fields of an item that a deciding reviewer reads. */
export type Readable = Pick<
  ReviewDetail,
  | 'id'
  | 'etf_name'
  | 'observed_return'
  | 'trade_date'
  | 'explanation_as_of'
  | 'content_as_of'
  | 'summary'
  | 'grounds'
  | 'checks'
>;

export interface Reading {
  item: Readable;
  /** In the order of the text, numbered. */
  hits: NumberedHit[];
  evidences: EvidenceView[];
  figures: CheckedFigure[];
  /** Compares a text's figures with the evidence. */
  figuresOf: (text: string) => CheckedFigure[];
}

/** The findings in an item's text, and its grounds. */
export function useReading(item: Readable): Reading {
  const hits = useMemo(() => numberHits(item.checks.flatMap((check) => check.hits)), [item.checks]);
  const evidences = useMemo(() => item.grounds.evidences.map(fromStored), [item.grounds.evidences]);
  const facts = useMemo(() => factsOf(item, evidences), [item, evidences]);
  const figuresOf = useCallback((shown: string) => checkFigures(shown, [item.etf_name], facts), [item.etf_name, facts]);
  const figures = useMemo(() => figuresOf(item.summary), [figuresOf, item.summary]);
  return { item, hits, evidences, figures, figuresOf };
}

/** The text with its reasons and findings, beside its evidence. */
export function ItemGrounds({
  reading: { item, hits, evidences, figures },
  title,
  returned = null,
  afterText = null,
  afterHits = null,
  besideHits = null,
  editorPlace,
}: {
  reading: Reading;
  /** The received text's heading; absent where it is the text under review. */
  title?: string;
  /** The transition that returned it to review, if any. */
  returned?: StateChange | null;
  /** Parts that stay in view together with the text. */
  afterText?: ReactNode;
  afterHits?: ReactNode;
  /** Below the list of hits, if there are hits. */
  besideHits?: ReactNode;
  /** Where an editor takes the place of the text. */
  editorPlace?: (place: HTMLElement | null) => void;
}): ReactNode {
  const text = useText();
  const nameOf = useNameText();
  const columns = useRef<HTMLDivElement>(null);
  useLights(columns, item.id);
  const lightOf = useCallback((index: number) => lightsOfEvidence(figures, index), [figures]);
  return (
    <div ref={columns} className={classes['columns']}>
      <div>
        <div ref={editorPlace} className={classes['editorPlace']} />
        <div className={classes['received']}>
          <Panel title={title ?? text('review.text')}>
            <MarkedText key={item.id} text={item.summary} hits={hits} figures={figures} />
          </Panel>
        </div>
        {afterText}
        <WhyReview checks={item.checks} returned={returned} />
        {hits.length > 0 && (
          <Panel title={text('review.hits', { count: hits.length })}>
            <HitList hits={hits} />
            {besideHits}
          </Panel>
        )}
        {afterHits}
        <Panel title={text('review.checks')}>
          <FoldedChecks checks={item.checks} />
        </Panel>
        <Panel title={text('review.disclaimer')}>
          <DisclaimerNote />
        </Panel>
      </div>
      <div>
        <Panel title={text('figure.title', { count: figures.length, open: openFigures(figures).length })}>
          <FigureList figures={figures} />
        </Panel>
        <Panel title={text('review.evidences', { count: evidences.length })}>
          <EvidenceList evidences={evidences} nameOf={nameOf} isFolded lightOf={lightOf} />
        </Panel>
        <Panel title={text('review.events', { count: item.grounds.source_events.length })}>
          <SourceEvents events={item.grounds.source_events} isFolded />
        </Panel>
      </div>
    </div>
  );
}
