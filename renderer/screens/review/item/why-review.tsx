import { Tooltip } from '@mantine/core';
import type { ReactNode } from 'react';
import { Panel } from '../../../../shared/ui/parts/panel.tsx';
import { KstTime } from '../../../../shared/ui/time/times.tsx';
import type { CheckResult, StateChange } from '../../../../shared/wire/console/console.ts';
import { Actor, ReasonText } from '../../../components/domain/actor-and-reason.tsx';
import { useText } from '../../../i18n/use-text.ts';
import { useCheckText } from '../../../components/texts/check-text.ts';
import { ReasonTags } from './checks.tsx';
import classes from './review.module.css';

/** The transition that returned an item to review after its reception; null if its checks did. */
export function returnOf(history: readonly StateChange[]): StateChange | null {
  const last = history.findLast(({ to }) => to === 'PENDING_REVIEW');
  return last === undefined || last.move === 'receive' ? null : last;
}

/** Why an item waits, in one line: the person who sent it back, and each failed check with its sentence on demand. */
export function WhyReview({
  checks,
  returned,
}: {
  checks: readonly CheckResult[];
  returned: StateChange | null;
}): ReactNode {
  const text = useText();
  const sayCheck = useCheckText();
  const failed = checks.filter(({ verdict }) => verdict !== 'PASS');
  if (failed.length === 0 && returned === null) return null;
  return (
    <Panel title={text('review.why')}>
      <ul className={classes['reasons']}>
        {returned !== null && (
          <li>
            <strong>{text(`move.${returned.move}`)}</strong> <Actor actor={returned.actor} /> ·{' '}
            <KstTime at={returned.at} />
            {returned.reason !== null && (
              <>
                {' · '}
                <ReasonText reason={returned.reason} />
              </>
            )}
          </li>
        )}
        {failed.map((check) => (
          <li key={check.check}>
            <Tooltip label={sayCheck(check)} maw={420} withArrow multiline>
              <span tabIndex={0}>
                <ReasonTags reasons={[check]} />
              </span>
            </Tooltip>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
