import { Button, Checkbox, Textarea } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState, type ReactNode } from 'react';
import { Link, useLocation } from 'wouter';
import { useShortcuts } from '../../../shared/ui/keys/use-shortcuts.ts';
import { WINDOW_PAGE } from '../../../shared/ui/list/page-window.ts';
import { Tag } from '../../../shared/ui/parts/badge.tsx';
import { Loaded } from '../../../shared/ui/parts/data-state.tsx';
import { Glyph } from '../../../shared/ui/parts/glyphs.tsx';
import { useNotify } from '../../../shared/ui/parts/notices.tsx';
import { OpenForm } from '../../../shared/ui/parts/open-form.tsx';
import { Facts, Panel } from '../../../shared/ui/parts/panel.tsx';
import { ReturnValue } from '../../../shared/ui/parts/return-value.tsx';
import { useSwitch } from '../../../shared/ui/theme/preferences.ts';
import { KstTime, NoValue } from '../../../shared/ui/time/times.tsx';
import { DECISIONS, type BlindReview, type Decision, type ReasonCode } from '../../../shared/wire/console/console.ts';
import { useConsole } from '../../api/console-context.tsx';
import { DigitRadios } from '../../components/actions/digit-radios.tsx';
import { ReasonFields } from '../../components/actions/reason-fields.tsx';
import { ReasonText } from '../../components/domain/actor-and-reason.tsx';
import { missingOfReason, writeReason } from '../../components/domain/reasons.ts';
import { useText } from '../../i18n/use-text.ts';
import { ChangeError } from '../../components/parts/change-error.tsx';
import parts from '../../components/parts/parts.module.css';
import { useChange } from '../../components/parts/use-change.ts';
import { ItemGrounds, useReading, type Readable } from '../review/item/item-grounds.tsx';
import { afterDecision, neighbour } from '../review/queue/neighbours.ts';
import { useKeys } from '../review/item/use-keys.ts';
import { useMay } from '../../api/session-context.ts';
import { blindHref, type ListedState } from '../../components/domain/blind-address.ts';

/** One blind review: the item before its decision, and either the form for an opinion or both decisions. */
export function BlindReviewDetail({ id, state }: { id: string; state: ListedState }): ReactNode {
  const text = useText();
  const { queries } = useConsole();
  const [, navigate] = useLocation();
  const { shortcuts } = useKeys();
  const listed = useQuery(queries.blindReviews({ state, page: 1, size: WINDOW_PAGE })).data?.items;
  const ids = listed?.map((one) => one.id) ?? [];
  // A list that no longer holds the open review continues from its old position.
  const lastIndex = useRef(0);
  const given = useRef(new Set<string>());
  const at = ids.indexOf(id);
  useEffect(() => {
    if (at >= 0) lastIndex.current = at;
  }, [at]);
  const goTo = (review: string | null): void => navigate(blindHref({ state, review }));
  useShortcuts(shortcuts.list, true, (key) => {
    const target = neighbour(ids, { id, index: lastIndex.current }, key === 'next' ? 1 : -1);
    if (target !== null) goTo(target);
  });
  return (
    <>
      <p>
        <Link href={blindHref({ state })}>{text('list.back')}</Link>
      </p>
      <Loaded query={useQuery(queries.blindReview(id))}>
        {(review) => (
          <Loads
            key={review.id}
            review={review}
            onNext={() => {
              given.current.add(id);
              const left = ids.filter((one) => one === id || !given.current.has(one));
              goTo(afterDecision(left, { id, index: lastIndex.current }));
            }}
          />
        )}
      </Loaded>
    </>
  );
}

function Loads({ review, onNext }: { review: BlindReview; onNext: () => void }): ReactNode {
  const text = useText();
  const { item, told } = review;
  const opinion = told === null && <Opinion review={review} onNext={onNext} />;
  const heading = useRef<HTMLHeadingElement>(null);
  // The link or form that led here is gone.
  useEffect(() => heading.current?.focus({ preventScroll: true }), []);
  return (
    <article aria-label={text('blind.reading')}>
      <h3 ref={heading} tabIndex={-1} className={parts['openedHead']}>
        {review.etf_ticker} <span lang="ko">{review.etf_name}</span> <ReturnValue ratio={review.observed_return} />
      </h3>
      <Facts
        rows={[
          [text('field.tradeDate'), `${review.trade_date}${review.market === null ? '' : ` · ${review.market}`}`],
          [text('field.explainedAt'), <KstTime key="at" at={review.explanation_as_of} />],
          [text('field.contentAsOf'), <KstTime key="at" at={review.content_as_of ?? review.explanation_as_of} />],
          [
            text('field.confidence'),
            review.confidence_level === null ? <NoValue key="none" /> : text(`confidence.${review.confidence_level}`),
          ],
        ]}
      />
      {told !== null && <BothDecisions told={told} state={review.state} />}
      {item === null ? (
        <p className={parts['note']} data-tone="neutral">
          <Glyph name="unknown" /> {text('blind.textChanged')}
        </p>
      ) : (
        <Grounds item={{ ...review, ...item }} afterText={opinion} />
      )}
      {item === null && opinion}
    </article>
  );
}

function Grounds({ item, afterText }: { item: Readable; afterText: ReactNode }): ReactNode {
  return <ItemGrounds reading={useReading(item)} afterText={afterText} />;
}

interface Reason {
  code: ReasonCode | null;
  note: string;
}

/** A refusal needs a reason of the taxonomy, like the decision itself. */
function isRefusal(decision: Decision): decision is 'reject' | 'block' {
  return decision === 'reject' || decision === 'block';
}

/** The reason as it is sent; null if a part is missing. */
function written(decision: Decision, { code, note }: Reason): string | null {
  if (!isRefusal(decision)) return note.trim() === '' ? null : note.trim();
  return code === null || missingOfReason(code, note) !== null ? null : writeReason(code, note);
}

/** The second reviewer's own decision, or why they cannot give one. Nothing is preselected. */
function Opinion({ review, onNext }: { review: BlindReview; onNext: () => void }): ReactNode {
  const text = useText();
  const may = useMay();
  const notify = useNotify();
  const { api } = useConsole();
  const [goToNext, setGoToNext] = useSwitch('go-to-next');
  const reasonPlace = useRef<HTMLDivElement>(null);
  const [outcome, setOutcome] = useState<Decision | null>(null);
  const [reason, setReason] = useState<Reason>({ code: null, note: '' });
  const [isMissing, setIsMissing] = useState(false);
  const [takesReason, setTakesReason] = useState(0);
  // After a digit has chosen the decision, the next key is for its reason.
  useEffect(() => {
    if (takesReason > 0) reasonPlace.current?.querySelector<HTMLElement>('input, textarea')?.focus();
  }, [takesReason]);
  const give = useChange(async (decision: Decision) => {
    const { state } = await api.giveOpinion(review.id, decision, written(decision, reason) ?? '');
    const isSame = state === 'AGREED';
    notify({
      tone: isSame ? 'good' : 'wait',
      glyph: isSame ? 'tick' : 'warning',
      message: text(isSame ? 'blind.done.same' : 'blind.done.other', { item: review.etf_name }),
    });
    if (goToNext) onNext();
  }, null);
  if (!may('review.blind')) return <p className={parts['quiet']}>{text('blind.notYourRole')}</p>;
  if (review.hadAPart) return <p className={parts['quiet']}>{text('blind.hadAPart')}</p>;
  return (
    <Panel title={text('blind.opinion')}>
      {!review.blind && (
        <p className={parts['note']} data-tone="wait">
          <Glyph name="warning" /> {text('blind.notBlind')}
        </p>
      )}
      <OpenForm
        className={parts['form']}
        label={text('blind.opinion')}
        takesFocus={false}
        onSend={() => {
          const isWhole = outcome !== null && written(outcome, reason) !== null;
          setIsMissing(!isWhole);
          if (isWhole && !give.isPending) give.mutate(outcome);
        }}
      >
        <DigitRadios
          legend={text('blind.second')}
          options={DECISIONS}
          labelOf={(decision) => text(`blind.decision.${decision}`)}
          chosen={outcome}
          onChoose={setOutcome}
          onDigit={() => setTakesReason(takesReason + 1)}
        />
        <div ref={reasonPlace}>
          {outcome !== null && isRefusal(outcome) ? (
            <ReasonFields
              action={outcome}
              draft={reason}
              onChange={(changes) => setReason({ ...reason, ...changes })}
            />
          ) : (
            <Textarea
              label={text('blind.reason')}
              value={reason.note}
              maxLength={2_000}
              autosize
              minRows={2}
              onChange={(event) => setReason({ ...reason, note: event.currentTarget.value })}
            />
          )}
        </div>
        {isMissing && (
          <p className={parts['note']} data-tone="bad" role="alert">
            <Glyph name="warning" /> {text('blind.missing')}
          </p>
        )}
        <ChangeError error={give.error} />
        <div className={parts['buttons']}>
          <Button type="submit" loading={give.isPending}>
            {text('blind.send')}
          </Button>
          <Checkbox
            label={text('blind.goToNext')}
            checked={goToNext}
            onChange={(event) => setGoToNext(event.currentTarget.checked)}
          />
          <span className={parts['quiet']}>{text('blind.opinion.note')}</span>
        </div>
      </OpenForm>
    </Panel>
  );
}

function BothDecisions({
  told: { explanationId, first, second },
  state,
}: {
  told: NonNullable<BlindReview['told']>;
  state: BlindReview['state'];
}): ReactNode {
  const text = useText();
  const isSame = state === 'AGREED';
  return (
    <Panel
      title={text('blind.told')}
      aside={
        <Tag tone={isSame ? 'good' : 'wait'} glyph={isSame ? 'tick' : 'warning'}>
          {text(`blind.state.${state}`)}
        </Tag>
      }
    >
      <Facts
        rows={[
          [text('blind.first'), <OneDecision key="first" {...first} />],
          [text('blind.second'), <OneDecision key="second" {...second} />],
          ...(first.published_summary === null
            ? []
            : [
                [
                  text('blind.shown'),
                  <span key="shown" lang="ko">
                    {first.published_summary}
                  </span>,
                ] as const,
              ]),
        ]}
      />
      <p className={parts['quiet']}>{text(second.blind ? 'blind.counts' : 'blind.countsNot')}</p>
      {!isSame && <p>{text('blind.differed')}</p>}
      <Link href={`/explanations/${encodeURIComponent(explanationId)}`}>{text('blind.toExplanation')}</Link>
    </Panel>
  );
}

function OneDecision({
  displayName,
  at,
  decision,
  reason,
}: {
  displayName: string;
  at: string;
  decision: Decision;
  reason: string | null;
}): ReactNode {
  const text = useText();
  return (
    <>
      <strong>{text(`blind.decision.${decision}`)}</strong> · {displayName} · <KstTime at={at} />
      {reason !== null && (
        <>
          {' '}
          · <ReasonText reason={reason} />
        </>
      )}
    </>
  );
}
