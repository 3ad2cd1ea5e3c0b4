import { useMemo, type ReactNode } from 'react';
import { Link, useLocation, useSearch } from 'wouter';
import { ListScreen } from '../../../../shared/ui/list/list-screen.tsx';
import { Badge } from '../../../../shared/ui/parts/badge.tsx';
import { Loaded } from '../../../../shared/ui/parts/data-state.tsx';
import { DayField } from '../../../../shared/ui/days/day-field.tsx';
import { Glyph } from '../../../../shared/ui/parts/glyphs.tsx';
import { Facts, Panel } from '../../../../shared/ui/parts/panel.tsx';
import { DataTable } from '../../../../shared/ui/table/data-table.tsx';
import { KstShortTime, KstTime, NoValue } from '../../../../shared/ui/time/times.tsx';
import type { HoldingsImpact, HoldingsState } from '../../../../shared/wire/operator/operator.ts';
import { readDay, writeAddress } from '../../navigation/address.ts';
import { analysisPlace, etfPlace } from '../../navigation/places.ts';
import { PublicationBadge } from '../analyses/analysis-values.tsx';
import { useOperator } from '../../api/operator-context.tsx';
import { useText } from '../../i18n/use-text.ts';
import { CsvButton } from '../../lists/csv-button.tsx';
import { timeCell } from '../../lists/csv.ts';
import { LiveBar } from '../../live/live-bar.tsx';
import { useLive } from '../../live/refresh.tsx';
import { Quantity } from '../../runs/quantity.tsx';
import type { Look } from '../../runs/run-badges.tsx';
import classes from '../../runs/runs.module.css';
import styles from './holdings.module.css';

const PLACE = '/holdings';

/** Four states that must not look like "no impact". */
const LOOKS: Readonly<Record<HoldingsState, Look>> = {
  UNKNOWN: { tone: 'neutral', glyph: 'unknown' },
  WITHHELD: { tone: 'info', glyph: 'running' },
  NO_IMPACT: { tone: 'good', glyph: 'tick' },
  RESOLVED: { tone: 'good', glyph: 'approved' },
  IMPACT: { tone: 'bad', glyph: 'warning' },
};

/** Holdings-gap impact (operator API 2): the gaps of the reference date, and the results that depend on them. */
export function HoldingsScreen(): ReactNode {
  const text = useText();
  const { queries } = useOperator();
  const [, navigate] = useLocation();
  const addressed = useSearch();
  const asked = useMemo(() => readDay(new URLSearchParams(addressed).get('referenceDate')), [addressed]);
  const impact = useLive(queries.holdings(asked));
  return (
    <ListScreen
      title={text('nav.holdings')}
      aside={<LiveBar query={impact} asOf={impact.data?.asOf} />}
      tools={
        <div className={classes['dayLine']}>
          <DayField
            label={text('holdings.referenceDate')}
            value={asked ?? impact.data?.referenceDate ?? null}
            onChange={(referenceDate) => navigate(`${PLACE}${writeAddress({ referenceDate })}`)}
          />
          <span>{text('holdings.notHistory')}</span>
        </div>
      }
      tableLabel={text('holdings.content')}
      foot={null}
      detail={null}
    >
      <Loaded query={impact}>{(known) => <Impact impact={known} />}</Loaded>
    </ListScreen>
  );
}

function Impact({ impact }: { impact: HoldingsImpact }): ReactNode {
  const text = useText();
  const { state, reason, missing, resolved, analyses } = impact;
  return (
    <div className={classes['page']}>
      <div className={styles['verdict']} data-tone={LOOKS[state].tone}>
        <Badge {...LOOKS[state]}>{text(`holdings.${state}`)}</Badge>
        <p>
          {text(`holdings.${state}.meaning`)}
          {reason !== null && <> {text(`holdingsReason.${reason}`)}</>}
        </p>
      </div>
      <Panel level={2} title={text('holdings.measured')}>
        <Facts
          rows={[
            [text('holdings.referenceDate'), impact.referenceDate ?? <NoValue key="date" />],
            [text('holdings.snapshotAt'), <KstTime key="snapshot" at={impact.snapshotTakenAt} precision="second" />],
            [text('holdings.expected'), <Quantity key="expected" value={impact.expected} />],
            [text('holdings.loaded'), <Quantity key="loaded" value={impact.loaded} />],
            [text('holdings.missing'), <Quantity key="missing" value={missing === null ? null : missing.length} />],
            [
              text('holdings.load'),
              impact.load === null ? (
                <NoValue key="load" />
              ) : (
                <span key="load">
                  {text('ledger.word', { word: impact.load.status })}{' '}
                  <KstTime at={impact.load.startedAt} precision="second" />
                </span>
              ),
            ],
          ]}
        />
      </Panel>
      {missing !== null && missing.length > 0 && (
        <Panel
          level={2}
          title={text('holdings.missingList', { count: missing.length })}
          aside={
            <CsvButton
              name={`holdings-missing-${impact.referenceDate ?? ''}`}
              rows={missing}
              columns={[
                [text('field.ticker'), ({ ticker }) => ticker],
                [text('field.instrument'), ({ name }) => name],
                [text('field.id'), ({ instrumentId }) => instrumentId],
              ]}
            />
          }
        >
          <ul className={classes['codes']}>
            {missing.map((one) => (
              <li key={one.instrumentId}>
                <Glyph name="gap" size={10} /> <Instrument {...one} />
              </li>
            ))}
          </ul>
        </Panel>
      )}
      {resolved !== null && resolved.length > 0 && (
        <Panel
          level={2}
          title={text('holdings.resolvedList', { count: resolved.length })}
          aside={
            <CsvButton
              name={`holdings-resolved-${impact.referenceDate ?? ''}`}
              rows={resolved}
              columns={[
                [text('field.ticker'), ({ ticker }) => ticker],
                [text('field.instrument'), ({ name }) => name],
                [text('field.id'), ({ instrumentId }) => instrumentId],
                [text('holdings.csv.loaded'), ({ loadedAt }) => timeCell(loadedAt)],
              ]}
            />
          }
        >
          <ul className={classes['codes']}>
            {resolved.map((one) => (
              <li key={one.instrumentId}>
                <Glyph name="tick" size={10} /> <Instrument {...one} /> <KstTime at={one.loadedAt} precision="second" />
              </li>
            ))}
          </ul>
        </Panel>
      )}
      <Panel
        level={2}
        title={
          analyses === null ? text('holdings.analysesUnknown') : text('holdings.analyses', { count: analyses.total })
        }
        aside={
          analyses !== null && (
            <CsvButton
              name={`holdings-analyses-${impact.referenceDate ?? ''}`}
              rows={analyses}
              columns={[
                [text('field.id'), ({ id }) => id],
                [text('field.ticker'), ({ ticker }) => ticker],
                [text('field.instrument'), ({ instrumentName }) => instrumentName],
                [text('holdings.asOfZone'), ({ explanationAsOf }) => timeCell(explanationAsOf)],
                [text('field.publicationState'), ({ publicationState }) => text(`publication.${publicationState}`)],
              ]}
            />
          )
        }
      >
        <Affected analyses={analyses} rerunRecommended={impact.rerunRecommended} />
      </Panel>
    </div>
  );
}

/** The store may not know an instrument that the snapshot names. */
function Instrument({
  instrumentId,
  ticker,
  name,
}: {
  instrumentId: string;
  ticker: string | null;
  name: string | null;
}): ReactNode {
  if (ticker === null) return <code>{instrumentId}</code>;
  return (
    <Link href={etfPlace(ticker)}>
      <code>{ticker}</code> {name}
    </Link>
  );
}

function Affected({ analyses, rerunRecommended }: Pick<HoldingsImpact, 'analyses' | 'rerunRecommended'>): ReactNode {
  const text = useText();
  if (analyses === null) return <p className={classes['none']}>{text('holdings.notJudged')}</p>;
  const advice = rerunRecommended === true && (
    <p className={styles['advice']} data-tone="wait">
      <Glyph name="warning" /> {text('holdings.rerun')}
    </p>
  );
  if (analyses.total === 0) {
    return (
      <>
        {advice}
        <p className={classes['none']}>{text('holdings.noAnalyses')}</p>
      </>
    );
  }
  return (
    <>
      {advice}
      <DataTable
        label={text('holdings.analysesTable')}
        rows={analyses.items}
        idOf={({ id }) => id}
        columns={[
          {
            id: 'instrument',
            head: text('field.instrument'),
            kind: 'name',
            render: ({ id, ticker, instrumentName }) => (
              <Link href={analysisPlace(id)}>
                {ticker} {instrumentName}
              </Link>
            ),
          },
          {
            id: 'asOf',
            head: text('holdings.asOfZone'),
            render: ({ explanationAsOf }) => <KstShortTime at={explanationAsOf} />,
          },
          {
            id: 'publication',
            head: text('field.publicationState'),
            kind: 'short',
            render: ({ publicationState }) => <PublicationBadge state={publicationState} />,
          },
        ]}
      />
      {analyses.total > analyses.items.length && (
        <p className={classes['note']}>
          {text('holdings.capped', { shown: analyses.items.length, total: analyses.total })}
        </p>
      )}
    </>
  );
}
