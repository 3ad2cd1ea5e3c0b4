import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useId, useState, type ReactNode } from 'react';
import { CodedName, DetailPane } from '../../../shared/ui/list/list-screen.tsx';
import { EmptyState } from '../../../shared/ui/parts/data-state.tsx';
import { Glyph } from '../../../shared/ui/parts/glyphs.tsx';
import { Facts, Panel } from '../../../shared/ui/parts/panel.tsx';
import { KstTime } from '../../../shared/ui/time/times.tsx';
import type { Analysis } from '../../../shared/wire/operator.ts';
import { useOperator } from '../api/operator-context.tsx';
import { useText } from '../i18n/use-text.ts';
import classes from './analyses.module.css';
import { AnalysisStatusWord, ChangeRate, DirectionWord, PublicationBadge } from './analysis-values.tsx';
import { InvalidateDialog } from './invalidate-dialog.tsx';

export interface AnalysisDetailProps {
  id: string;
  onClose: () => void;
}

/** What the list knows of one analysis, and the way to invalidate it. */
export function AnalysisDetail({ id, onClose }: AnalysisDetailProps): ReactNode {
  const text = useText();
  const { queries } = useOperator();
  const item = useQuery(queries.analysis(id)).data;
  if (item === undefined) {
    return (
      <EmptyState title={text('analysis.notListed')}>
        <Button variant="default" onClick={onClose}>
          {text('list.closeDetail')}
        </Button>
      </EmptyState>
    );
  }
  return <KnownDetail key={id} item={item} onClose={onClose} />;
}

function KnownDetail({ item, onClose }: { item: Analysis; onClose: () => void }): ReactNode {
  const text = useText();
  const headingId = useId();
  return (
    <DetailPane
      headingId={headingId}
      label={text('analysis.detail')}
      head={
        <header className={classes['title']}>
          <h2 id={headingId}>
            <CodedName code={item.ticker} name={item.instrumentName} />
          </h2>
          <p className={classes['badges']}>
            <PublicationBadge state={item.publicationState} />
            <ChangeRate ratio={item.changeRate} />
            <AnalysisStatusWord status={item.status} />
          </p>
        </header>
      }
      onClose={onClose}
      foot={<InvalidatePlace item={item} />}
    >
      <Publication item={item} />
      <Panel title={text('analysis.summary')}>
        <p className={classes['summary']} lang="ko">
          {item.summary}
        </p>
      </Panel>
      <Panel title={text('analysis.about')}>
        <Facts
          rows={[
            [text('field.market'), item.market],
            [text('field.tradeDate'), item.tradeDate],
            [text('field.changeRate'), <ChangeRate key="rate" ratio={item.changeRate} />],
            [text('field.direction'), <DirectionWord key="direction" direction={item.direction} />],
            [text('field.asOf'), <KstTime key="asOf" at={item.explanationAsOf} />],
            [text('field.createdAt'), <KstTime key="createdAt" at={item.createdAt} />],
            [text('field.evidenceCount'), item.evidenceCount],
            [text('field.engine'), item.analysisEngine],
            [text('field.id'), <code key="id">{item.id}</code>],
            [text('field.instrumentId'), <code key="instrument">{item.instrumentId}</code>],
          ]}
        />
      </Panel>
    </DetailPane>
  );
}

/** Why it is not published, where it is not. */
function Publication({ item }: { item: Analysis }): ReactNode {
  const text = useText();
  switch (item.publicationState) {
    case 'PUBLISHED':
      return null;
    case 'UNPUBLISHED':
      return item.draftReason === null ? null : (
        <Panel title={text('analysis.publication')}>
          <Facts rows={[[text('field.draftReason'), <code key="reason">{item.draftReason}</code>]]} />
        </Panel>
      );
    case 'INVALIDATED':
      return (
        <Panel title={text('analysis.publication')}>
          <Facts
            rows={[
              [text('field.withdrawalReason'), item.withdrawalReason],
              [text('field.withdrawnAt'), <KstTime key="at" at={item.withdrawnAt} precision="second" />],
            ]}
          />
        </Panel>
      );
  }
}

/** The one operation on an analysis, or why there is none. */
function InvalidatePlace({ item }: { item: Analysis }): ReactNode {
  const text = useText();
  const [isOpen, setIsOpen] = useState(false);
  return (
    <footer className={classes['place']}>
      {item.publicationState === 'PUBLISHED' ? (
        <Button
          variant="default"
          leftSection={
            <span data-tone="bad" className={classes['sign']}>
              <Glyph name="withdrawn" />
            </span>
          }
          onClick={() => setIsOpen(true)}
        >
          {text('invalidate.open')}
        </Button>
      ) : (
        <p className={classes['none']}>
          {text(item.publicationState === 'INVALIDATED' ? 'invalidate.already' : 'invalidate.draft')}
        </p>
      )}
      {/* Stays as it is when the state changes under it, so that a refusal can be read. */}
      <InvalidateDialog item={item} opened={isOpen} onClose={() => setIsOpen(false)} />
    </footer>
  );
}
