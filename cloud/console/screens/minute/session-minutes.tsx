import type { ReactNode } from 'react';
import { Panel } from '../../../../shared/ui/parts/panel.tsx';
import { DataTable } from '../../../../shared/ui/table/data-table.tsx';
import type { MinuteState } from '../../../../shared/wire/operator/operator.ts';
import { useText } from '../../i18n/use-text.ts';
import { CsvButton } from '../../lists/csv-button.tsx';
import { timeCell } from '../../lists/csv.ts';
import { LedgerCode } from '../../runs/ledger-code.tsx';
import { Quantity } from '../../runs/quantity.tsx';
import classes from '../../runs/runs.module.css';
import { clockOf, countMinutes, hoursOf, instrumentsOf, stretchesOf, type Minute, type Session } from './minutes.ts';
import styles from './minute.module.css';

/** The states in the order of the legend. */
const STATES = ['COMPLETE', 'PARTIAL', 'EMPTY', 'UNKNOWN', 'ABSENT', 'AHEAD'] as const satisfies MinuteState[];

/** Every minute of a session as a mark, an hour a line; beside it the same in words and numbers. */
export function SessionMinutes({ session }: { session: Session }): ReactNode {
  const text = useText();
  const stretches = stretchesOf(session.minutes);
  return (
    <Panel
      level={2}
      title={text('minute.session', {
        market: session.market,
        from: clockOf(session.opensAt),
        to: clockOf(session.closesAt),
      })}
      aside={
        <>
          <span className={classes['quiet']}>
            {text('minute.inLedger', { known: session.minutesInLedger, due: session.minutesDue })} ·{' '}
            <Instruments minutes={session.minutes} />
          </span>
          <CsvButton
            name={`minutes-${session.sessionId}`}
            rows={session.minutes}
            columns={[
              [text('minute.timeZone'), ({ at }) => timeCell(at)],
              [text('field.state'), ({ state }) => text(`minuteState.${state}`)],
              [text('minute.csv.collectedInstruments'), ({ collected }) => collected],
              [text('minute.csv.expectedInstruments'), ({ expected }) => expected],
              [text('minute.failed'), ({ failed }) => failed],
              [text('field.errorCode'), ({ errorCode }) => errorCode],
            ]}
          />
        </>
      }
    >
      <div className={styles['session']}>
        <Marks session={session} />
        <Legend />
        {stretches.length === 0 ? (
          <p className={classes['none']}>{text('minute.allComplete')}</p>
        ) : (
          <StretchTable stretches={stretches} />
        )}
      </div>
    </Panel>
  );
}

/** The instruments of all counted minutes: how many values came, were expected, and failed; and what the sums lack. */
function Instruments({ minutes }: { minutes: readonly Minute[] }): ReactNode {
  const text = useText();
  const { counted, uncounted, collected, expected, failed } = instrumentsOf(minutes);
  if (counted === 0) return text('minute.noInstruments');
  return [
    text('minute.instruments', { collected, expected }),
    failed === null ? text('minute.instruments.failedUnknown') : text('minute.instruments.failed', { failed }),
    ...(uncounted === 0 ? [] : [text('minute.instruments.uncounted', { count: uncounted })]),
  ].join(', ');
}

/** The incomplete minutes, neighbours of one kind together. */
function StretchTable({ stretches }: { stretches: ReturnType<typeof stretchesOf> }): ReactNode {
  const text = useText();
  return (
    <DataTable
      label={text('minute.stretches')}
      rows={stretches}
      idOf={({ from }) => from}
      columns={[
        {
          id: 'time',
          head: text('minute.timeZone'),
          kind: 'name',
          render: ({ from, to }) => (
            <time dateTime={from}>
              {clockOf(from)}
              {to !== from && `–${clockOf(to)}`}
            </time>
          ),
        },
        {
          id: 'state',
          head: text('field.state'),
          kind: 'short',
          render: ({ state }) => (
            <>
              <span className={styles['key']} data-state={state} aria-hidden="true" /> {text(`minuteState.${state}`)}
            </>
          ),
        },
        {
          id: 'minutes',
          head: text('minute.minutes'),
          kind: 'number',
          render: ({ minutes }) => <Quantity value={minutes} />,
        },
        {
          id: 'collected',
          head: text('minute.collected'),
          kind: 'number',
          render: ({ collected, expected }) => (
            <>
              <Quantity value={collected} /> / <Quantity value={expected} />
            </>
          ),
        },
        {
          id: 'failed',
          head: text('minute.failed'),
          kind: 'number',
          render: ({ failed }) => <Quantity value={failed} />,
        },
        {
          id: 'error',
          head: text('field.errorCode'),
          kind: 'short',
          render: ({ errorCode }) => errorCode !== null && <LedgerCode code={errorCode} />,
        },
      ]}
    />
  );
}

function Marks({ session }: { session: Session }): ReactNode {
  const text = useText();
  return (
    <ol className={styles['hours']} aria-label={text('minute.grid')}>
      {hoursOf(session.minutes).map(({ hour, minutes }) => {
        const told = countMinutes(minutes)
          .map(([state, count]) => text('minute.ofState', { state: text(`minuteState.${state}`), count }))
          .join(', ');
        return (
          <li key={hour} className={styles['hour']}>
            <span className={styles['hourName']}>{text('minute.hour', { hour })}</span>
            <span className={styles['marks']} role="img" aria-label={told}>
              {minutes.map(({ at, state, collected, expected }) => (
                <span
                  key={at}
                  className={styles['minute']}
                  data-state={state}
                  title={`${clockOf(at)} ${text(`minuteState.${state}`)}${
                    collected === null || expected === null
                      ? ''
                      : ` · ${text('minute.ofInstruments', { collected, expected })}`
                  }`}
                  style={{ gridColumn: Number(clockOf(at).slice(3)) + 1 }}
                />
              ))}
            </span>
            <span className={styles['hourSum']}>
              <Instruments minutes={minutes} />
            </span>
          </li>
        );
      })}
    </ol>
  );
}

function Legend(): ReactNode {
  const text = useText();
  return (
    <ul className={styles['legend']} aria-label={text('minute.legend')}>
      {STATES.map((state) => (
        <li key={state}>
          <span className={styles['key']} data-state={state} aria-hidden="true" /> {text(`minuteState.${state}`)}
        </li>
      ))}
    </ul>
  );
}
