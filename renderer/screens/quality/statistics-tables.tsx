import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { Panel } from '../../../shared/ui/parts/panel.tsx';
import { DataTable, type Column } from '../../../shared/ui/table/data-table.tsx';
import { KstTime } from '../../../shared/ui/time/times.tsx';
import type { ReviewFigures, ReviewStatistics } from '../../../shared/wire/console/console.ts';
import looks from '../dashboard/dashboard.module.css';
import { useText } from '../../i18n/use-text.ts';
import parts from '../../components/parts/parts.module.css';
import { auditHref } from '../settings/audit-filter.ts';
import { DECIDED, decidedInAll, REVERSALS } from './main-figures.tsx';
import { Ratio, SpanValue } from './use-words.tsx';

type Counts = Pick<ReviewFigures, 'decided' | 'reversed' | 'automatic'>;

/** The chart as a table, the figures by policy, the reversals, and the agreement of first and second decisions. */
export function StatisticsTables({ statistics }: { statistics: ReviewStatistics }): ReactNode {
  const text = useText();
  const counts = useCountColumns();
  return (
    <>
      <details className={looks['hours']}>
        <summary>{text('quality.table')}</summary>
        <DataTable
          label={text('quality.table')}
          rows={statistics.days.toReversed()}
          idOf={({ day }) => day}
          isDense
          columns={[
            { id: 'day', head: text('quality.day'), kind: 'name', render: ({ day }) => day },
            ...DECIDED.map(({ kind, move, subject }) => ({
              id: kind,
              head: text(`move.${move}`),
              kind: 'number' as const,
              render: ({ day, decided }: ReviewStatistics['days'][number]) =>
                decided[kind] === 0 ? (
                  0
                ) : (
                  <Link href={auditHref({ subject, from: day, to: day })}>{decided[kind]}</Link>
                ),
            })),
            ...counts,
            {
              id: 'waiting',
              head: text('quality.waiting'),
              kind: 'number',
              render: ({ waiting }) => <SpanValue ms={waiting.medianMs} />,
            },
            {
              id: 'handling',
              head: text('quality.handling'),
              kind: 'number',
              render: ({ handling }) => <SpanValue ms={handling.medianMs} />,
            },
          ]}
        />
      </details>
      <Panel title={text('quality.policies')}>
        <DataTable
          label={text('quality.policies')}
          rows={statistics.policies}
          idOf={({ policyVersion }) => policyVersion ?? 0}
          isDense
          columns={[
            {
              id: 'version',
              head: text('policy.versionNumber'),
              kind: 'name',
              render: ({ policyVersion }) =>
                policyVersion === null ? text('quality.noPolicy') : text('policy.version', { version: policyVersion }),
            },
            ...DECIDED.map(({ kind, move }) => ({
              id: kind,
              head: text(`move.${move}`),
              kind: 'number' as const,
              render: ({ decided }: Counts) => decided[kind].toLocaleString('en-US'),
            })),
            ...counts,
          ]}
        />
      </Panel>
      <div id={REVERSALS} tabIndex={-1}>
        <Panel title={text('quality.reversals')}>
          <Reversals statistics={statistics} />
        </Panel>
      </div>
      <Panel title={text('quality.pairs')}>
        <Pairs statistics={statistics} />
      </Panel>
    </>
  );
}

/** The common columns of the tables by day and by policy. */
function useCountColumns(): Column<Counts>[] {
  const text = useText();
  return [
    {
      id: 'reversed',
      head: text('quality.reversed'),
      kind: 'number',
      render: (counts) => <Ratio n={counts.reversed} of={decidedInAll(counts)} />,
    },
    {
      id: 'automatic',
      head: text('quality.automatic'),
      kind: 'number',
      render: ({ automatic }) => automatic.provided.toLocaleString('en-US'),
    },
    {
      id: 'automaticReversed',
      head: text('quality.automaticReversed'),
      kind: 'number',
      render: ({ automatic }) => <Ratio n={automatic.reversed} of={automatic.provided} />,
    },
    {
      id: 'unblocked',
      head: text('quality.unblocked'),
      kind: 'number',
      render: ({ automatic }) => <Ratio n={automatic.unblocked} of={automatic.blocked} />,
    },
  ];
}

function Reversals({ statistics: { reversals } }: { statistics: ReviewStatistics }): ReactNode {
  const text = useText();
  if (reversals.length === 0) return <p className={parts['quiet']}>{text('quality.reversals.none')}</p>;
  return (
    <DataTable
      label={text('quality.reversals')}
      rows={reversals}
      idOf={({ id, decidedAt }) => `${id} ${decidedAt}`}
      isDense
      columns={[
        {
          id: 'item',
          head: text('quality.item'),
          kind: 'name',
          render: ({ id, etf_ticker, etf_name }) => (
            <Link href={`/explanations/${encodeURIComponent(id)}`}>
              {etf_ticker} <span lang="ko">{etf_name}</span>
            </Link>
          ),
        },
        {
          id: 'first',
          head: text('quality.first'),
          render: ({ decision, decidedAt }) => (
            <>
              {text(
                decision === 'automatic' || decision === 'automatic-block'
                  ? `quality.first.${decision}`
                  : `move.${decision}`,
              )}{' '}
              <KstTime at={decidedAt} />
            </>
          ),
        },
        {
          id: 'then',
          head: text('quality.then'),
          render: ({ takenBackBy, takenBackAt }) => (
            <>
              {text(`move.${takenBackBy}`)} <KstTime at={takenBackAt} />
            </>
          ),
        },
      ]}
    />
  );
}

function Pairs({ statistics: { blind } }: { statistics: ReviewStatistics }): ReactNode {
  const text = useText();
  if (blind.pairs.length === 0) return <p className={parts['quiet']}>{text('quality.pairs.none')}</p>;
  return (
    <DataTable
      label={text('quality.pairs')}
      rows={blind.pairs}
      idOf={({ first, second }) => `${first} ${second}`}
      isDense
      columns={[
        { id: 'first', head: text('quality.pairs.first'), kind: 'name', render: ({ first }) => text(`move.${first}`) },
        { id: 'second', head: text('quality.pairs.second'), render: ({ second }) => text(`move.${second}`) },
        {
          id: 'count',
          head: text('quality.pairs.count'),
          kind: 'number',
          render: ({ count }) => count.toLocaleString('en-US'),
        },
      ]}
    />
  );
}
