import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { Facts, Panel } from '../../../shared/ui/parts/panel.tsx';
import { KstTime } from '../../../shared/ui/time/times.tsx';
import type { Showing, ShownSpan } from '../../../shared/wire/console/console.ts';
import parts from '../../components/parts/parts.module.css';
import { useText } from '../../i18n/use-text.ts';
import { between, ByChannel } from '../explanations/served-by.tsx';
import { useShownWords, wasExposed } from './shown-words.ts';
import classes from './shown.module.css';

/** What was shown at the pointer, who answers for it, and who asked. */
export function ShownText({ span, at, begins }: { span: ShownSpan; at: string; begins: string }): ReactNode {
  const text = useText();
  const { timeOf } = useShownWords();
  const { showing, requests } = span;
  return (
    <>
      <Panel title={text('shown.at', { time: timeOf(at) })} level={2}>
        <Shown showing={showing} begins={begins} />
      </Panel>
      {showing.state === 'GIVEN' && (
        <Panel title={text('shown.requests')} level={2}>
          {requests.length === 0 ? (
            <p>{text('shown.requests.none')}</p>
          ) : (
            <>
              <p>{text('shown.requests.sum', { times: sumOf(requests) })}</p>
              <ByChannel counts={requests} />
            </>
          )}
          {requests.some(({ times, most }) => times < most) && (
            <p className={parts['quiet']}>{text('shown.requests.beyond')}</p>
          )}
        </Panel>
      )}
    </>
  );
}

function sumOf(requests: ShownSpan['requests']): string {
  const sum = (name: 'times' | 'most'): number => requests.reduce((all, one) => all + one[name], 0);
  return between(sum('times'), sum('most'));
}

function Shown({ showing, begins }: { showing: Showing; begins: string }): ReactNode {
  const text = useText();
  const { whyOf, channelsOf, actorOf, timeOf } = useShownWords();
  if (showing.state === 'UNKNOWN')
    return showing.reason === 'BEFORE_RECORD' ? (
      <p>{text('shown.unknown.BEFORE_RECORD', { begins: timeOf(begins) })}</p>
    ) : (
      <p>{text('shown.unknown.RESTORED')}</p>
    );
  const { id } = showing;
  const link: [string, ReactNode][] =
    id === null
      ? []
      : [
          [
            text('shown.explanation'),
            <Link key="id" href={`/explanations/${encodeURIComponent(id)}`}>
              {id}
            </Link>,
          ],
        ];
  return (
    <>
      {showing.corrected && <p>{text('shown.corrected')}</p>}
      {showing.repeated && <p>{text('shown.repeated')}</p>}
      {showing.state === 'NOTHING' ? (
        <>
          <p>{whyOf(showing)}</p>
          <Facts rows={[...link, [text('shown.channels'), channelsOf(showing)]]} />
        </>
      ) : (
        <>
          {!wasExposed(showing) && <p>{text('shown.why.NO_CHANNEL')}</p>}
          <p className={classes['text']} lang="ko">
            {showing.text}
          </p>
          <p className={classes['disclaimer']}>
            {text('shown.disclaimer')}:{' '}
            {showing.disclaimer === null ? (
              text('shown.disclaimer.none')
            ) : (
              <>
                <span lang="ko">{showing.disclaimer}</span> (
                {text('shown.disclaimer.version', { version: showing.disclaimerVersion ?? 0 })})
              </>
            )}
          </p>
          <Facts
            rows={[
              [text('shown.channels'), channelsOf(showing)],
              ...link,
              [text('shown.asOf'), <KstTime key="asOf" at={showing.explanation_as_of} />],
              [
                text('shown.letOut'),
                <span key="by">
                  {text(`move.${showing.move}`)} · {actorOf(showing.actor)} ·{' '}
                  <KstTime at={showing.since} precision="second" />
                </span>,
              ],
              ...(showing.authors.length === 0
                ? []
                : [[text('shown.authors'), showing.authors.join(', ')] as [string, ReactNode]]),
              ...(showing.approvalNumber === null
                ? []
                : [[text('field.approval'), showing.approvalNumber] as [string, ReactNode]]),
              [
                text('shown.policy'),
                showing.policyVersion === null
                  ? text('shown.policy.none')
                  : text('policy.version', { version: showing.policyVersion }),
              ],
            ]}
          />
        </>
      )}
    </>
  );
}
