/** When a version takes effect: with the version that waits, when it is published, or at a time (D212). */
import { NativeSelect, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { kstInstant, kstMinute } from '../../../shared/time/kst.ts';
import { kstText } from '../../../shared/ui/time/format.ts';
import { useNow } from '../../../shared/ui/time/use-now.ts';
import { useConsole } from '../../api/console-context.tsx';
import { useText } from '../../i18n/use-text.ts';

type Kind = 'with' | 'now' | 'later';

export interface ChosenStart {
  /** The draft's `startsAt`; undefined: as the version that waits, else at once. */
  startsAt: string | null | undefined;
  /** A time was to be given and is not, or has passed. */
  isMissing: boolean;
  /** It takes effect later. */
  isLater: boolean;
}

/**
 * @param moves the change is nothing but another start
 * @returns the choice and its field
 */
export function useStart(moves: boolean, isRefused: boolean): [ChosenStart, ReactNode] {
  const text = useText();
  const now = useNow();
  const { queries } = useConsole();
  const policy = useQuery(queries.policy).data;
  const waiting = policy?.waiting ?? null;
  const [chosen, setChosen] = useState<Kind | null>(null);
  const [minute, setMinute] = useState('');
  const kinds: Kind[] = [...(waiting === null || moves ? [] : (['with'] as const)), 'now', 'later'];
  const kind = chosen !== null && kinds.includes(chosen) ? chosen : moves ? 'later' : (kinds[0] ?? 'now');
  const at = instantOf(minute);
  const isMissing = kind === 'later' && (at === null || at <= now.toISOString());
  const labels: Record<Kind, string> = {
    with: text('start.with', { at: text('time.kst', { time: kstText(waiting?.startsAt ?? '', 'minute') ?? '' }) }),
    now: text('start.now'),
    later: text('start.later'),
  };
  const startsAt = kind === 'with' ? undefined : kind === 'now' ? (waiting === null ? undefined : null) : at;
  // A first version takes effect at once.
  const field =
    (policy?.policyVersion ?? null) === null ? null : (
      <>
        <NativeSelect
          label={text('start.when')}
          value={kind}
          data={kinds.map((value) => ({ value, label: labels[value] }))}
          onChange={(event) => setChosen(kinds.find((one) => one === event.currentTarget.value) ?? null)}
        />
        {kind === 'later' && (
          <TextInput
            type="datetime-local"
            label={text('start.at')}
            value={minute}
            min={kstMinute(now)}
            error={(isRefused || minute !== '') && isMissing && text('start.at.missing')}
            onChange={(event) => setMinute(event.currentTarget.value)}
          />
        )}
      </>
    );
  return [{ startsAt, isMissing, isLater: kind === 'later' || (kind === 'with' && waiting !== null) }, field];
}

/** @param minute `YYYY-MM-DDTHH:MM` in Korea */
function instantOf(minute: string): string | null {
  const [date = '', time = ''] = minute.split('T');
  const at = kstInstant(date, time.slice(0, 5));
  return Number.isNaN(at.getTime()) ? null : at.toISOString();
}
