import { Popover, UnstyledButton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState, type ReactNode } from 'react';
import { TakesKeys } from '../../../shared/ui/keys/takes-keys.tsx';
import { Badge, type Tone } from '../../../shared/ui/parts/badge.tsx';
import { Glyph, type GlyphName } from '../../../shared/ui/parts/glyphs.tsx';
import { Facts } from '../../../shared/ui/parts/panel.tsx';
import { KstTime, NoValue } from '../../../shared/ui/time/times.tsx';
import { kstShort } from '../../../shared/ui/time/format.ts';
import { useNow } from '../../../shared/ui/time/use-now.ts';
import type { SyncState as State, SyncStatus } from '../../../shared/wire/console/console.ts';
import { useConsole } from '../../api/console-context.tsx';
import { useText } from '../../i18n/use-text.ts';
import classes from './sync-state.module.css';
import { lagOf } from './lag.ts';
import { useLiveState } from '../../api/live-provider.tsx';

export const SYNC_LOOKS: Readonly<Record<State, { tone: Tone; glyph: GlyphName }>> = {
  NEVER: { tone: 'neutral', glyph: 'unknown' },
  OK: { tone: 'good', glyph: 'tick' },
  RETRYING: { tone: 'wait', glyph: 'retrying' },
  REFUSED: { tone: 'bad', glyph: 'cross' },
  UNAUTHORIZED: { tone: 'bad', glyph: 'cross' },
  FORBIDDEN: { tone: 'bad', glyph: 'cross' },
  GONE: { tone: 'bad', glyph: 'cross' },
  VIOLATION: { tone: 'bad', glyph: 'warning' },
  REGRESSED: { tone: 'bad', glyph: 'warning' },
};

/** Tickers that an alarm names. */
const NAMED = 5;

/** The counts and names for the alarm texts. */
export const alarmCounts = (
  status: SyncStatus,
): { held: number; rejected: number; quarantined: number; dark: string; darkMore: number } => ({
  held: status.heldInvalidations,
  rejected: status.rejectedEntries,
  quarantined: status.quarantinedUnseen,
  dark: status.darkTickers.slice(0, NAMED).join(', '),
  darkMore: Math.max(0, status.darkTickers.length - NAMED),
});

/** The state of the reception, in the head of every screen; pressing it shows details. */
export function SyncState(): ReactNode {
  const text = useText();
  const { queries } = useConsole();
  const query = useQuery(queries.syncStatus);
  const live = useLiveState();
  const now = useNow();
  return (
    <div className={classes['place']}>
      {query.data === undefined ? (
        <span className={classes['quiet']}>{text(query.isError ? 'sync.unknown' : 'state.loading')}</span>
      ) : (
        <Summary status={query.data} />
      )}
      {live.state === 'interrupted' && (
        <span role="status" className={classes['cut']}>
          <Badge tone="wait" glyph="retrying">
            {text('live.interrupted', { time: kstShort(live.since.toISOString(), now) ?? '' })}
          </Badge>
        </span>
      )}
    </div>
  );
}

/** The state of the reception; connected and waiting for news is a good one of its own (D223). */
export function SyncBadge({ status }: { status: SyncStatus }): ReactNode {
  const text = useText();
  return (
    <Badge {...SYNC_LOOKS[status.state]}>
      {text(status.waitSeconds === null ? `sync.state.${status.state}` : 'sync.state.WAITING')}
    </Badge>
  );
}

export const explainedBy = ({ state, waitSeconds }: SyncStatus) =>
  waitSeconds === null ? (`sync.explained.${state}` as const) : 'sync.explained.WAITING';

function Summary({ status }: { status: SyncStatus }): ReactNode {
  const text = useText();
  const now = useNow();
  const lag = lagOf(status);
  const lastSuccess = status.lastSuccessAt === null ? null : kstShort(status.lastSuccessAt, now);
  // Between receiving and applying there is always a short delay; the state has a badge of its own.
  const needsAttention = status.alarms.some((alarm) => alarm !== 'NOT_OK' && alarm !== 'NOT_APPLIED');
  const [isOpen, setIsOpen] = useState(false);
  // The focus stays on the button, so that the popover itself hears no key.
  useEffect(() => {
    if (!isOpen) return;
    const onKeyDown = ({ key }: KeyboardEvent): void => {
      if (key === 'Escape') setIsOpen(false);
    };
    window.addEventListener('keydown', onKeyDown);
    return () => window.removeEventListener('keydown', onKeyDown);
  }, [isOpen]);
  return (
    <Popover opened={isOpen} onChange={setIsOpen} position="bottom-start" width={380} trapFocus={false} withRoles>
      <Popover.Target>
        <UnstyledButton className={classes['summary']} onClick={() => setIsOpen(!isOpen)}>
          <span className={classes['name']}>{text('sync.name')}</span>
          <SyncBadge status={status} />
          <span className={classes['long']}>{lag === null ? text('sync.lag.unknown') : text('sync.lag', { lag })}</span>
          <span className={classes['long']}>
            {text('sync.lastSuccess')}{' '}
            {lastSuccess === null ? text('time.none') : text('time.kst', { time: lastSuccess })}
          </span>
          {needsAttention && (
            <span data-tone="wait" className={classes['look']}>
              <Glyph name="warning" /> {text('sync.needsAttention')}
            </span>
          )}
          <Glyph name="chevron" size={10} />
        </UnstyledButton>
      </Popover.Target>
      <Popover.Dropdown aria-label={text('sync.details')}>
        <TakesKeys kind="form" />
        <p className={classes['explained']}>{text(explainedBy(status))}</p>
        <Facts
          rows={[
            [text('sync.committed'), status.committedCursor],
            [text('sync.applied'), status.appliedCursor],
            [text('sync.head'), status.head === null ? <NoValue key="none" /> : status.head],
            [text('sync.lastAttempt'), <KstTime key="at" at={status.lastAttemptAt} precision="second" />],
            [text('sync.lastSuccess'), <KstTime key="at" at={status.lastSuccessAt} precision="second" />],
            [text('sync.held'), status.heldInvalidations],
            [text('sync.rejected'), status.rejectedEntries],
            [text('sync.quarantined'), status.quarantinedBundles],
          ]}
        />
        {status.lastError !== null && (
          <p className={classes['error']}>
            {text('sync.lastError')} <KstTime at={status.lastError.at} precision="second" /> ·{' '}
            <code>{status.lastError.code}</code> {status.lastError.message}
          </p>
        )}
      </Popover.Dropdown>
    </Popover>
  );
}
