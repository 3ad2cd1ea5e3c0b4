import { Button, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { Loaded } from '../../../shared/ui/parts/data-state.tsx';
import { useLength } from '../../../shared/ui/time/times.tsx';
import { LONGEST_TARGET_MINUTES, type ReviewTarget } from '../../../shared/wire/console/console.ts';
import { useConsole } from '../../api/console-context.tsx';
import { useText } from '../../i18n/use-text.ts';
import { ChangeError } from '../../components/parts/change-error.tsx';
import parts from '../../components/parts/parts.module.css';
import { useChange } from '../../components/parts/use-change.ts';
import { useMay } from '../../api/session-context.ts';

/** The target for an item's waiting time: set by the Tenant Admin, visible to every role. */
export function ReviewTimePart(): ReactNode {
  const text = useText();
  const may = useMay();
  const length = useLength();
  const { queries } = useConsole();
  return (
    <Loaded query={useQuery(queries.reviewTarget)}>
      {(target) => (
        <>
          <p className={parts['quiet']}>{text('reviewTime.note')}</p>
          <p>
            {target.minutes === null
              ? text('reviewTime.nowNone')
              : text('reviewTime.now', { duration: length(target.minutes * 60_000) })}
          </p>
          {may('review.target') ? (
            <TargetForm key={target.version} target={target} />
          ) : (
            <p className={parts['quiet']}>{text('reviewTime.notYours')}</p>
          )}
        </>
      )}
    </Loaded>
  );
}

function TargetForm({ target: { minutes, version } }: { target: ReviewTarget }): ReactNode {
  const text = useText();
  const { api } = useConsole();
  const [hours, setHours] = useState(minutes === null ? '' : String(minutes / 60));
  const [isUnfit, setIsUnfit] = useState(false);
  const change = useChange((next: number | null) => api.setReviewTarget(next, version), text('reviewTime.done'));
  return (
    <form
      className={parts['form']}
      aria-label={text('settings.reviewTime')}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        const next = hours.trim() === '' ? null : Math.round(Number(hours) * 60);
        const fits = next === null || (next >= 15 && next <= LONGEST_TARGET_MINUTES);
        setIsUnfit(!fits);
        if (fits && !change.isPending) change.mutate(next);
      }}
    >
      <TextInput
        label={text('reviewTime.hours')}
        description={text('reviewTime.none')}
        value={hours}
        inputMode="decimal"
        autoComplete="off"
        error={isUnfit ? text('reviewTime.unfit') : null}
        onChange={(event) => setHours(event.currentTarget.value)}
      />
      <ChangeError error={change.error} />
      <div className={parts['buttons']}>
        <Button type="submit" loading={change.isPending}>
          {text('reviewTime.save')}
        </Button>
      </div>
    </form>
  );
}
