import { Button } from '@mantine/core';
import { useId, useState, type ReactNode } from 'react';
import { Link } from 'wouter';
import { EvidenceList } from '../../../../shared/ui/evidence/evidence-list.tsx';
import { fromConsole } from '../../../../shared/evidence/evidence.ts';
import { SourceEvents } from '../../../../shared/ui/evidence/source-events.tsx';
import { ApiProblem } from '../../../../shared/ui/http/request.ts';
import { CodedName, DetailPane } from '../../../../shared/ui/list/list-screen.tsx';
import { EmptyState, Loaded } from '../../../../shared/ui/parts/data-state.tsx';
import { Glyph } from '../../../../shared/ui/parts/glyphs.tsx';
import { Facts, Panel } from '../../../../shared/ui/parts/panel.tsx';
import { KstTime, NoValue } from '../../../../shared/ui/time/times.tsx';
import type { AnalysisDetail as Detail } from '../../../../shared/wire/operator/operator.ts';
import { useOperator } from '../../api/operator-context.tsx';
import { useText } from '../../i18n/use-text.ts';
import { LongText } from '../../runs/long-text.tsx';
import { RawJson } from '../../runs/raw-json.tsx';
import { etfPlace } from '../../navigation/places.ts';
import { useLive } from '../../live/refresh.tsx';
import classes from './analyses.module.css';
import {
  AnalysisStatusWord,
  ChangeRate,
  Confidence,
  CounterFactors,
  DirectionWord,
  Measurements,
  PublicationBadge,
} from './analysis-values.tsx';
import { WithdrawDialog } from './withdraw-dialog.tsx';
import { RecipientList } from './recipient-list.tsx';

export interface AnalysisDetailProps {
  id: string;
  onClose: () => void;
}

/** One whole analysis (operator API 2), and its invalidation. */
export function AnalysisDetail({ id, onClose }: AnalysisDetailProps): ReactNode {
  const text = useText();
  const { queries } = useOperator();
  const analysis = useLive(queries.analysis(id));
  if (analysis.error instanceof ApiProblem && analysis.error.status === 404) {
    return (
      <EmptyState title={text('analysis.missing')}>
        <Button variant="default" onClick={onClose}>
          {text('list.closeDetail')}
        </Button>
      </EmptyState>
    );
  }
  return <Loaded query={analysis}>{(item) => <KnownDetail key={id} item={item} onClose={onClose} />}</Loaded>;
}

function KnownDetail({ item, onClose }: { item: Detail; onClose: () => void }): ReactNode {
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
      foot={<WithdrawPlace item={item} />}
    >
      <Publication item={item} />
      <Panel title={text('analysis.summary')}>
        {item.summary === null ? (
          <p className={classes['none']}>{text('analysis.noSummary')}</p>
        ) : (
          <p className={classes['summary']} lang="ko">
            {item.summary}
          </p>
        )}
      </Panel>
      <Panel title={text('analysis.judgement')}>
        <Facts
          rows={[
            [text('field.confidence'), <Confidence key="confidence" level={item.confidenceLevel} />],
            [
              text('field.explanationType'),
              item.explanationType === null ? (
                <NoValue key="type" />
              ) : (
                text('ledger.word', { word: item.explanationType })
              ),
            ],
            [text('field.counterFactors'), <CounterFactors key="counter" factors={item.counterFactors} />],
          ]}
        />
      </Panel>
      <Panel title={text('analysis.measurements')}>
        <Measurements values={item.measurements} />
      </Panel>
      <Panel title={text('analysis.evidence', { count: item.evidences.length })}>
        <EvidenceList evidences={item.evidences.map(fromConsole)} />
      </Panel>
      <Panel title={text('analysis.sourceEvents')}>
        <SourceEvents events={item.sourceEvents} />
      </Panel>
      <Panel title={text('analysis.times')}>
        <Facts
          rows={[
            [text('field.tradeDate'), item.tradeDate],
            [
              text('field.movementReferenceAt'),
              <KstTime key="fired" at={item.movementReferenceAt} precision="second" />,
            ],
            [text('field.contentAsOf'), <KstTime key="content" at={item.contentAsOf} precision="second" />],
            [text('field.startedAt'), <KstTime key="started" at={item.startedAt} precision="second" />],
            [text('field.asOf'), <KstTime key="asOf" at={item.explanationAsOf} precision="second" />],
            [text('field.completedAt'), <KstTime key="completed" at={item.completedAt} precision="second" />],
          ]}
        />
      </Panel>
      <Panel title={text('analysis.about')}>
        <Facts
          rows={[
            [text('field.market'), item.market],
            [text('field.direction'), <DirectionWord key="direction" of={item} />],
            [text('field.engine'), item.analysisEngine],
            [text('field.mode'), text('ledger.word', { word: item.mode })],
            [text('field.id'), <code key="id">{item.id}</code>],
            [text('field.runId'), <code key="run">{item.runId}</code>],
            [
              text('field.instrumentId'),
              <Link key="instrument" href={etfPlace(item.ticker)}>
                <code>{item.instrumentId}</code>
              </Link>,
            ],
          ]}
        />
      </Panel>
      <RawJson of={item} />
    </DetailPane>
  );
}

/** Why it is not published, and its recipients. */
function Publication({ item }: { item: Detail }): ReactNode {
  const text = useText();
  switch (item.publicationState) {
    case 'PUBLISHED':
      return (
        <Panel title={text('analysis.publication')}>
          <RecipientList recipients={item.recipients} heading={text('analysis.issued')} />
        </Panel>
      );
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
              [text('field.withdrawalReason'), <LongText key="reason">{item.withdrawalReason ?? ''}</LongText>],
              [text('field.withdrawnAt'), <KstTime key="at" at={item.withdrawnAt} precision="second" />],
              [text('field.withdrawnBy'), item.withdrawal?.by ?? <NoValue key="by" />],
            ]}
          />
          {item.withdrawal !== null && (
            <RecipientList
              recipients={item.withdrawal.recipients}
              heading={text('analysis.withdrawalIssued')}
              isWithdrawal
            />
          )}
        </Panel>
      );
  }
}

/** The one operation on an analysis, or why it is not available. */
function WithdrawPlace({ item }: { item: Detail }): ReactNode {
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
      <WithdrawDialog item={item} opened={isOpen} onClose={() => setIsOpen(false)} />
    </footer>
  );
}
