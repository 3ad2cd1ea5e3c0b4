import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useId, useMemo, useRef, type ReactNode } from 'react';
import { Link } from 'wouter';
import { EvidenceList } from '../../../shared/ui/evidence/evidence-list.tsx';
import { fromConsole } from '../../../shared/evidence/evidence.ts';
import { SourceEvents } from '../../../shared/ui/evidence/source-events.tsx';
import { DetailPane } from '../../../shared/ui/list/list-screen.tsx';
import { Glyph } from '../../../shared/ui/parts/glyphs.tsx';
import { Facts, Panel } from '../../../shared/ui/parts/panel.tsx';
import { DiffView } from '../../../shared/ui/text/diff-view.tsx';
import { KstTime } from '../../../shared/ui/time/times.tsx';
import { useNow } from '../../../shared/ui/time/use-now.ts';
import type { ExplanationDetail as Detail } from '../../../shared/wire/console/console.ts';
import { LoadedItem } from '../../components/actions/unseen-decision.tsx';
import { SaveDossier } from '../../components/actions/save-dossier.tsx';
import type { Send } from '../../components/actions/use-send.ts';
import { useConsole } from '../../api/console-context.tsx';
import { ItemHead } from '../../components/domain/item-head.tsx';
import { useRecent } from '../../components/domain/recent.ts';
import { RecordLinks } from '../../components/domain/record-links.tsx';
import { VisibilityBadge } from '../../components/domain/status-badge.tsx';
import { useNameText } from '../../components/figures/fact-text.ts';
import { useText } from '../../i18n/use-text.ts';
import { CheckTable } from '../review/item/checks.tsx';
import { DisclaimerNote } from '../review/item/disclaimer-note.tsx';
import { useTextInView } from '../review/item/use-text-in-view.ts';
import { HitList, numberHits } from '../../components/texts/marked-text.tsx';
import { useProfile } from '../../api/session-context.ts';
import { SamplePanel } from './sample-panel.tsx';
import { Timeline } from '../../components/timeline/timeline.tsx';
import classes from './explanations.module.css';
import { OperationPlace } from './operation-place.tsx';
import { ServedBy } from './served-by.tsx';

export interface ExplanationDetailProps {
  id: string;
  send: Send;
  onClose: () => void;
  /** Goes to the next sample, if this one is open among the samples. */
  onNextSample?: () => void;
}

export function ExplanationDetail({ id, ...rest }: ExplanationDetailProps): ReactNode {
  const text = useText();
  const { queries } = useConsole();
  return (
    <LoadedItem
      id={id}
      query={useQuery(queries.explanation(id))}
      back={
        <Button variant="subtle" color="gray" onClick={rest.onClose}>
          {text('list.back')}
        </Button>
      }
    >
      {(item) => <LoadedDetail key={item.id} item={item} {...rest} />}
    </LoadedItem>
  );
}

type LoadedDetailProps = Omit<ExplanationDetailProps, 'id'> & { item: Detail };

function LoadedDetail({ item, send, onClose, onNextSample }: LoadedDetailProps): ReactNode {
  const text = useText();
  const headingId = useId();
  const nameOf = useNameText();
  const scroller = useRef<HTMLDivElement>(null);
  useTextInView(scroller, item.id);
  useRecent(item, 'explanations');
  const evidences = useMemo(() => item.evidences.map(fromConsole), [item.evidences]);
  const wasEdited = item.published_summary !== null && item.published_summary !== item.summary;
  return (
    <DetailPane
      headingId={headingId}
      label={text('board.detail')}
      scroller={scroller}
      head={<ItemHead item={item} headingId={headingId} badges={<VisibilityBadge item={item} />} />}
      tools={
        <Button variant="subtle" color="gray" size="compact-sm" onClick={() => window.print()}>
          {text('board.print')}
        </Button>
      }
      onClose={onClose}
      foot={<OperationPlace item={item} send={send} />}
    >
      {item.sample !== null && <SamplePanel item={item} sample={item.sample} onNext={onNextSample} />}
      <Panel title={text('board.provided')}>
        <Provided item={item} />
      </Panel>
      <Panel title={text('served.title')}>
        <ServedBy served={item.served} />
        <RecordLinks item={item} />
        <SaveDossier subject={{ explanation: item.id }} />
      </Panel>
      <Panel title={text('board.received')}>
        <p className={classes['text']} lang="ko">
          {item.summary}
        </p>
      </Panel>
      {wasEdited && item.published_summary !== null && (
        <Panel title={text('edit.difference')}>
          <DiffView before={item.summary} after={item.published_summary} />
        </Panel>
      )}
      {!item.exposed && (
        <Panel title={text('review.disclaimer')}>
          <DisclaimerNote />
        </Panel>
      )}
      <Checked id={item.id} />
      <Panel title={text('review.evidences', { count: evidences.length })}>
        <EvidenceList evidences={evidences} nameOf={nameOf} />
      </Panel>
      <Panel title={text('review.events', { count: item.source_events.length })}>
        <SourceEvents events={item.source_events} />
      </Panel>
      <Panel title={text('timeline.title')}>
        <Timeline item={item} />
      </Panel>
      <Panel title={text('board.origin')}>
        <Facts
          rows={[
            [text('field.engine'), item.analysis_engine],
            [text('field.resultId'), <code key="id">{item.explanation_result_id}</code>],
            [text('field.runId'), <code key="id">{item.explanation_run_id}</code>],
            [text('field.threadId'), <code key="id">{item.primary_thread_id}</code>],
            [
              text('field.policy'),
              item.policyVersion === null
                ? text('policy.none')
                : text('policy.version', { version: item.policyVersion }),
            ],
          ]}
        />
      </Panel>
      <Printed />
    </DetailPane>
  );
}

/** The findings of its screening, check by check, and each hit; also printed. */
function Checked({ id }: { id: string }): ReactNode {
  const text = useText();
  const { queries } = useConsole();
  const checks = useQuery(queries.reviewItem(id)).data?.checks;
  const hits = useMemo(() => numberHits((checks ?? []).flatMap((check) => check.hits)), [checks]);
  if (checks === undefined) return null;
  return (
    <Panel title={text('review.checks')}>
      <CheckTable checks={checks} />
      {hits.length > 0 && <HitList hits={hits} />}
    </Panel>
  );
}

/** Printed only: who printed the record, and when. */
function Printed(): ReactNode {
  const text = useText();
  const { displayName, username } = useProfile();
  return (
    <p className={classes['printed']}>
      {text('board.printed', { name: `${displayName} (${username})` })} <KstTime at={useNow().toISOString()} />
    </p>
  );
}

/** The text as a channel gets it now, disclaimer included; or why no channel gets it. */
function Provided({ item }: { item: Detail }): ReactNode {
  const text = useText();
  const { queries } = useConsole();
  const disclaimer = useQuery(queries.disclaimer).data;
  if (!item.exposed) {
    return (
      <>
        <WhyNot item={item} />
        {item.status === 'PENDING_REVIEW' && (
          <p>
            <Link href={`/review/${encodeURIComponent(item.id)}`}>{text('board.toReview')}</Link>
          </p>
        )}
        {item.published_summary !== null && (
          <>
            <p className={classes['quiet']}>
              {text(item.heldUntil === null ? 'board.lastPublished' : 'board.heldText')}
            </p>
            <p className={classes['text']} lang="ko" data-reading>
              {item.published_summary}
            </p>
          </>
        )}
      </>
    );
  }
  return (
    <>
      <div className={classes['provided']} lang="ko">
        <p className={classes['text']} data-reading>
          {item.published_summary ?? item.summary}
        </p>
        {disclaimer !== undefined && disclaimer.disclaimer !== null && (
          <p className={classes['disclaimer']}>{disclaimer.disclaimer}</p>
        )}
      </div>
      {item.expiresAt !== null && (
        <p className={classes['quiet']}>
          {text('board.expiresAt')} <KstTime at={item.expiresAt} />
        </p>
      )}
    </>
  );
}

/** The first obstacle, with its time if it has one. */
function WhyNot({ item: { status, obstacle, heldUntil, expiresAt, validUntil } }: { item: Detail }): ReactNode {
  const text = useText();
  const isState = status !== 'AUTO_PUBLISHED' && status !== 'PUBLISHED';
  const why = isState || obstacle === null || obstacle === 'STATE' ? null : obstacle;
  return (
    <p className={classes['notExposed']}>
      <Glyph name={why === 'HELD' || why === 'AHEAD' ? 'waiting' : 'cross'} />
      <span>
        {isState ? text(`board.notExposed.${status}`) : why !== null && text(`board.obstacle.${why}`)}{' '}
        {(why === 'HELD' || why === 'AHEAD') && <KstTime at={heldUntil} precision="second" />}
        {why === 'EXPIRED' && <KstTime at={expiresAt} />}
        {why === 'LAPSED' && <KstTime at={validUntil} />}
      </span>
    </p>
  );
}
