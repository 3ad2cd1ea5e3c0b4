import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { Loaded } from '../../../shared/ui/parts/data-state.tsx';
import { Glyph, type GlyphName } from '../../../shared/ui/parts/glyphs.tsx';
import { kstDate } from '../../../shared/time/kst.ts';
import { useNow } from '../../../shared/ui/time/use-now.ts';
import { EVEN } from '../../../shared/ui/parts/tiles.tsx';
import { KstTime, NoValue } from '../../../shared/ui/time/times.tsx';
import type { SyncAlarm, SyncHistoryKind } from '../../../shared/wire/console/console.ts';
import { isRenewalDue } from '../../../shared/time/certificate-life.ts';
import { useConsole } from '../../api/console-context.tsx';
import { UNCONFIRMED } from '../../api/scope.ts';
import { writeBoardFilter } from '../explanations/board-filter.ts';
import { alarmCounts } from '../../components/sync-state/sync-state.tsx';
import { useText } from '../../i18n/use-text.ts';
import parts from '../../components/parts/parts.module.css';
import { syncHistoryHref } from '../settings/sync-history-address.ts';
import classes from './dashboard.module.css';
import { Figure } from './figure.tsx';
import { NowFigures } from './now-figures.tsx';
import { TrafficPanel } from './traffic-panel.tsx';

/** The first screen of the day. Every number links to the list behind it. */
export function DashboardScreen(): ReactNode {
  const text = useText();
  const { queries } = useConsole();
  return (
    <div className={classes['screen']} role="region" aria-label={text('nav.dashboard')} tabIndex={0}>
      <h1>{text('nav.dashboard')}</h1>
      <Alarms />
      <section className={classes['section']} aria-labelledby="dashboard-now">
        <h2 id="dashboard-now">{text('dashboard.now')}</h2>
        <NowFigures />
      </section>
      <section className={classes['section']} aria-labelledby="dashboard-traffic">
        <h2 id="dashboard-traffic">{text('dashboard.traffic')}</h2>
        <Loaded query={useQuery(queries.traffic)}>{(traffic) => <TrafficPanel traffic={traffic} />}</Loaded>
      </section>
      <section className={classes['section']} aria-labelledby="dashboard-reception">
        <h2 id="dashboard-reception">{text('dashboard.reception')}</h2>
        <Reception />
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

/** The reception of the day, and what is left to check of the texts that no person reviewed. */
function Reception(): ReactNode {
  const text = useText();
  const { queries } = useConsole();
  const feed = useQuery(queries.feedStatus).data;
  const sync = useQuery(queries.syncStatus).data;
  const certificate = useQuery(queries.certificate).data?.certificate;
  const samples = useQuery(queries.sampleCounts).data;
  const today = kstDate(useNow());
  return (
    <div data-tiles className={`${EVEN} ${classes['tiles'] ?? ''}`}>
      <Figure
        href={`/explanations${writeBoardFilter({ receivedFrom: today, receivedTo: today })}`}
        name={text('dashboard.receivedToday')}
        value={feed?.receivedToday.toLocaleString('en-US')}
        note={
          <>
            {text('dashboard.lastReceived')} <KstTime at={feed?.lastReceivedAt ?? null} />
          </>
        }
      />
      <Figure
        href={syncHistoryHref()}
        name={text('dashboard.feed')}
        value={sync && text(`sync.state.${sync.state}`)}
        note={
          sync?.lag === undefined || sync.lag === null ? text('sync.lag.unknown') : text('sync.lag', { lag: sync.lag })
        }
      />
      <Figure
        href={syncHistoryHref()}
        name={text('certificate.title')}
        value={
          certificate
            ? certificate.daysToExpiry < 0
              ? text('dashboard.certificate.over')
              : text('certificate.days', { days: certificate.daysToExpiry })
            : undefined
        }
        note={
          certificate ? (
            <>
              {text('certificate.validTo')} <KstTime at={certificate.validTo} />
            </>
          ) : (
            text('dashboard.certificate.unseen')
          )
        }
      />
      <Figure
        href="/samples"
        name={text('dashboard.samples')}
        value={samples?.OPEN.toLocaleString('en-US')}
        note={
          samples === undefined ? (
            <NoValue />
          ) : (
            text('dashboard.samples.missed', {
              missed: samples.MISSED + samples.ACTED,
              seen: samples.FINE + samples.MISSED + samples.ACTED,
            })
          )
        }
      />
    </div>
  );
}
