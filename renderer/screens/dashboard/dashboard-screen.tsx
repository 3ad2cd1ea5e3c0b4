import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { Loaded } from '../../../shared/ui/parts/data-state.tsx';
import { Glyph, type GlyphName } from '../../../shared/ui/parts/glyphs.tsx';
import { kstDate } from '../../../shared/time/kst.ts';
import { useNow } from '../../../shared/ui/time/use-now.ts';
import { EVEN } from '../../../shared/ui/parts/tiles.tsx';
import { KstTime, NoValue, useAge } from '../../../shared/ui/time/times.tsx';
import { EXPLANATION_STATUSES, type SyncAlarm, type SyncHistoryKind } from '../../../shared/wire/console/console.ts';
import { isRenewalDue } from '../../../shared/time/certificate-life.ts';
import { useConsole } from '../../api/console-context.tsx';
import { UNCONFIRMED } from '../../api/scope.ts';
import { writeBoardFilter } from '../explanations/board-filter.ts';
import { STATUS_LOOKS } from '../../components/domain/status-badge.tsx';
import { alarmCounts } from '../../components/sync-state/sync-state.tsx';
import { useText } from '../../i18n/use-text.ts';
import parts from '../../components/parts/parts.module.css';
import { syncHistoryHref } from '../settings/sync-history-address.ts';
import classes from './dashboard.module.css';
import { TrafficPanel } from './traffic-panel.tsx';

/** The first screen of the day. Every number links to the list behind it. */
export function DashboardScreen(): ReactNode {
  const text = useText();
  const { queries } = useConsole();
  return (
    <div className={classes['screen']} role="region" aria-label={text('nav.dashboard')} tabIndex={0}>
      <h1>{text('nav.dashboard')}</h1>
      <Alarms />
      <section className={classes['section']} aria-labelledby="dashboard-texts">
        <h2 id="dashboard-texts">{text('dashboard.texts')}</h2>
        <Distribution />
      </section>
      <section className={classes['section']} aria-labelledby="dashboard-traffic">
        <h2 id="dashboard-traffic">{text('dashboard.traffic')}</h2>
        <Loaded query={useQuery(queries.traffic)}>{(traffic) => <TrafficPanel traffic={traffic} />}</Loaded>
      </section>
    </div>
  );
}

/** Set-aside entries have a list of their own; the other alarms concern the reception as a whole. */
const KIND_OF_ALARM: Readonly<Partial<Record<SyncAlarm, SyncHistoryKind>>> = {
  HELD_INVALIDATIONS: 'HELD',
  REJECTED_ENTRIES: 'REJECTED',
  QUARANTINED_BUNDLES: 'QUARANTINED',
};

interface Alarm {
  tone: 'bad' | 'wait';
  glyph: GlyphName;
  words: string;
  href: string;
}

/** Reception is down or faulty until a person acts. */
const BAD_ALARMS: ReadonlySet<SyncAlarm> = new Set([
  'NOT_OK',
  'NOT_ASKING',
  'RAW_DAMAGED',
  'CLOUD_BEHIND',
  'STALLED',
  'LEDGER_HELD',
]);

/** Alarms that need attention now; says so when there are none. */
function Alarms(): ReactNode {
  const text = useText();
  const { queries } = useConsole();
  const sync = useQuery(queries.syncStatus).data;
  const certificate = useQuery(queries.certificate).data?.certificate;
  const exclusions = useQuery(queries.exclusions(UNCONFIRMED)).data;
  if (sync === undefined || exclusions === undefined) return null;
  const excluded = exclusions.items.map(({ type, key }): Alarm => {
    const words = text('exclusion.alarm', { kind: text(`scope.kind.${type}`), key });
    return { tone: 'bad', glyph: 'stopped', words, href: '/settings/scope' };
  });
  const received = sync.alarms.map((alarm): Alarm => ({
    tone: BAD_ALARMS.has(alarm) ? 'bad' : 'wait',
    glyph: 'warning',
    words: alarm === 'NOT_OK' ? text(`sync.explained.${sync.state}`) : text(`alarm.${alarm}`, alarmCounts(sync)),
    href: syncHistoryHref(KIND_OF_ALARM[alarm]),
  }));
  const alarms = [...excluded, ...received];
  if (
    certificate !== undefined &&
    certificate !== null &&
    isRenewalDue(certificate.validFrom, certificate.validTo, certificate.daysToExpiry)
  ) {
    alarms.push({
      tone: certificate.daysToExpiry < 0 ? 'bad' : 'wait',
      glyph: 'warning',
      words:
        certificate.daysToExpiry < 0
          ? text('certificate.expired')
          : text('certificate.endsSoon', { days: certificate.daysToExpiry }),
      href: syncHistoryHref(),
    });
  }
  // Nothing received yet does not mean that nothing is wrong.
  if (alarms.length === 0 && sync.state === 'NEVER')
    return (
      <p className={parts['note']} data-tone="neutral">
        <Glyph name="unknown" /> {text('sync.explained.NEVER')}
      </p>
    );
  if (alarms.length === 0)
    return (
      <p className={parts['note']} data-tone="good">
        <Glyph name="tick" />{' '}
        {text(certificate === undefined || certificate === null ? 'dashboard.noAlarms' : 'dashboard.noAlarmsAtAll')}
      </p>
    );
  return (
    <ul aria-label={text('dashboard.alarms')}>
      {alarms.map(({ tone, glyph, words, href }) => (
        <li key={words} className={parts['note']} data-tone={tone}>
          <Glyph name={glyph} /> <Link href={href}>{words}</Link>
        </li>
      ))}
    </ul>
  );
}

function Distribution(): ReactNode {
  const text = useText();
  const age = useAge();
  const { queries } = useConsole();
  const counts = useQuery(queries.statusCounts).data;
  const feed = useQuery(queries.feedStatus).data;
  const sync = useQuery(queries.syncStatus).data;
  const certificate = useQuery(queries.certificate).data?.certificate;
  const today = kstDate(useNow());
  const oldest = useQuery(queries.oldestWaiting).data?.items[0];
  const total = counts === undefined ? 0 : EXPLANATION_STATUSES.reduce((sum, status) => sum + counts[status], 0);
  return (
    <>
      <div data-tiles className={`${EVEN} ${classes['tiles']}`}>
        {EXPLANATION_STATUSES.map((status) => (
          <Link key={status} href={`/explanations?status=${status}`} className={classes['tile'] ?? ''}>
            <span data-tone={STATUS_LOOKS[status].tone} className={classes['tileName']}>
              <Glyph name={STATUS_LOOKS[status].glyph} /> {text(`status.${status}`)}
            </span>
            <span className={classes['number']}>
              {counts === undefined ? <NoValue /> : counts[status].toLocaleString('en-US')}
            </span>
            <span className={classes['share']}>
              {counts === undefined || total === 0 ? <NoValue /> : `${((counts[status] / total) * 100).toFixed(1)}%`}
            </span>
          </Link>
        ))}
      </div>
      <div data-tiles className={`${EVEN} ${classes['tiles']}`}>
        <Link
          href={oldest === undefined ? '/review' : `/review/${encodeURIComponent(oldest.id)}`}
          className={classes['tile'] ?? ''}
        >
          <span className={classes['tileName']}>{text('dashboard.oldest')}</span>
          <span className={classes['number']}>{oldest === undefined ? <NoValue /> : age(oldest.waitingSince)}</span>
          <span className={classes['share']}>
            {oldest === undefined ? text('review.empty') : `${oldest.etf_ticker} ${oldest.etf_name}`}
          </span>
        </Link>
        {feed !== undefined && feed.held > 0 && (
          <Link href={`/explanations${writeBoardFilter({ held: 'true' })}`} className={classes['tile'] ?? ''}>
            <span className={classes['tileName']}>{text('hold.title')}</span>
            <span className={classes['number']}>{feed.held.toLocaleString('en-US')}</span>
            <span className={classes['share']}>{text('dashboard.held')}</span>
          </Link>
        )}
        <SampleTile />
        <Link
          href={`/explanations${writeBoardFilter({ receivedFrom: today, receivedTo: today })}`}
          className={classes['tile'] ?? ''}
        >
          <span className={classes['tileName']}>{text('dashboard.receivedToday')}</span>
          <span className={classes['number']}>
            {feed === undefined ? <NoValue /> : feed.receivedToday.toLocaleString('en-US')}
          </span>
          <span className={classes['share']}>
            {text('dashboard.lastReceived')} <KstTime at={feed?.lastReceivedAt ?? null} />
          </span>
        </Link>
        <Link href={syncHistoryHref()} className={classes['tile'] ?? ''}>
          <span className={classes['tileName']}>{text('dashboard.feed')}</span>
          <span className={classes['number']}>
            {sync === undefined ? <NoValue /> : text(`sync.state.${sync.state}`)}
          </span>
          <span className={classes['share']}>
            {sync?.lag === undefined || sync.lag === null
              ? text('sync.lag.unknown')
              : text('sync.lag', { lag: sync.lag })}
          </span>
        </Link>
        <Link href={syncHistoryHref()} className={classes['tile'] ?? ''}>
          <span className={classes['tileName']}>{text('certificate.title')}</span>
          <span className={classes['number']}>
            {certificate === undefined || certificate === null ? (
              <NoValue />
            ) : certificate.daysToExpiry < 0 ? (
              text('dashboard.certificate.over')
            ) : (
              text('certificate.days', { days: certificate.daysToExpiry })
            )}
          </span>
          <span className={classes['share']}>
            {certificate === undefined || certificate === null ? (
              text('dashboard.certificate.unseen')
            ) : (
              <>
                {text('certificate.validTo')} <KstTime at={certificate.validTo} />
              </>
            )}
          </span>
        </Link>
      </div>
    </>
  );
}

/** Texts provided without a review and not checked yet. */
function SampleTile(): ReactNode {
  const text = useText();
  const { queries } = useConsole();
  const counts = useQuery(queries.sampleCounts).data;
  return (
    <Link href="/samples" className={classes['tile'] ?? ''}>
      <span className={classes['tileName']}>{text('dashboard.samples')}</span>
      <span className={classes['number']}>
        {counts === undefined ? <NoValue /> : counts.OPEN.toLocaleString('en-US')}
      </span>
      <span className={classes['share']}>
        {counts === undefined ? (
          <NoValue />
        ) : (
          text('dashboard.samples.missed', {
            missed: counts.MISSED + counts.ACTED,
            seen: counts.FINE + counts.MISSED + counts.ACTED,
          })
        )}
      </span>
    </Link>
  );
}
