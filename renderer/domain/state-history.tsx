import { VisuallyHidden } from '@mantine/core';
import type { ReactNode } from 'react';
import { KstTime } from '../../shared/ui/time/times.tsx';
import type { StateChange } from '../../shared/wire/console.ts';
import { useText } from '../i18n/use-text.ts';
import classes from './domain.module.css';
import { readReason } from './reasons.ts';
import { StatusBadge } from './status-badge.tsx';

/** What became of an explanation, newest first: when, by whom, from where to where, why, under which policy. */
export function StateHistory({ history }: { history: readonly StateChange[] }): ReactNode {
  const text = useText();
  if (history.length === 0) return <p className={classes['quiet']}>{text('history.none')}</p>;
  return (
    <ol className={classes['history']}>
      {history.toReversed().map((change) => (
        <li key={`${change.at} ${change.move} ${change.to}`}>
          <div className={classes['change']}>
            <KstTime at={change.at} precision="second" />
            <span className={classes['move']}>{text(`move.${change.move}`)}</span>
            <span>
              {change.from !== null && (
                <>
                  <StatusBadge status={change.from} />
                  <span aria-hidden="true"> → </span>
                  <VisuallyHidden>{text('history.to')}</VisuallyHidden>
                </>
              )}
              <StatusBadge status={change.to} />
            </span>
          </div>
          <div className={classes['detail']}>
            <Actor actor={change.actor} />
            {change.reason !== null && <ReasonText reason={change.reason} />}
            {change.policyVersion !== null && <span>{text('policy.version', { version: change.policyVersion })}</span>}
          </div>
        </li>
      ))}
    </ol>
  );
}

export function Actor({ actor }: { actor: string }): ReactNode {
  const text = useText();
  return <span>{actor === 'SYSTEM' ? text('actor.system') : actor}</span>;
}

/** A reason in the words of the language on screen; its free text as it was written. */
export function ReasonText({ reason }: { reason: string }): ReactNode {
  const text = useText();
  const { code, text: free } = readReason(reason);
  if (code === null) return <span lang="ko">{free}</span>;
  return (
    <span>
      {text(`reason.${code}`)}
      {free !== '' && `: ${free}`}
    </span>
  );
}
