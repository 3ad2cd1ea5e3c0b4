import { Button, Checkbox, VisuallyHidden } from '@mantine/core';
import { useQuery, type UseQueryOptions } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { Tag } from '../../../shared/ui/parts/badge.tsx';
import { Loaded } from '../../../shared/ui/parts/data-state.tsx';
import { Glyph } from '../../../shared/ui/parts/glyphs.tsx';
import { Panel } from '../../../shared/ui/parts/panel.tsx';
import { SearchField } from '../../../shared/ui/parts/search-field.tsx';
import { DataTable, PagedTable, type Column } from '../../../shared/ui/table/data-table.tsx';
import { KstTime, NoValue } from '../../../shared/ui/time/times.tsx';
import type { MarketScope, Page } from '../../../shared/wire/console/console.ts';
import { WHOLE_LIST } from '../../api/client.ts';
import { useConsole } from '../../api/console-context.tsx';
import { useText } from '../../i18n/use-text.ts';
import parts from '../../components/parts/parts.module.css';
import { useMay } from '../../api/session-context.ts';
import { ScopeSheet, type OpenSheet, type Switch } from './scope-sheet.tsx';
import { SectorField, SectorNames } from './sector-field.tsx';
import classes from './settings.module.css';

const PAGE = 20;
/** Rows of a long list before the user asks for more. */
const FIRST_ROWS = 10;
const ALL_STOCKS = { q: '', sector: '', onlyExcluded: false, page: 1 };

/** What a row shows beside its switch. */
type Shown = Switch & Pick<MarketScope, 'reason' | 'confirmation' | 'changedBy' | 'changedAt'>;

/** The four kinds (console API 4, rule 4): coverage is the Tenant Admin's, exclusion the reviewer's. */
export function ScopePart(): ReactNode {
  const text = useText();
  const may = useMay();
  const { queries } = useConsole();
  const [stocks, setStocks] = useState(ALL_STOCKS);
  /** Another filter is another list, which begins at its first page. */
  const narrow = (changes: Partial<typeof ALL_STOCKS>): void => setStocks({ ...stocks, page: 1, ...changes });
  const coverage = may('scope.coverage') ? null : text('scope.coverageNotYours');
  const exclusion = may('scope.exclude') ? null : text('scope.exclusionNotYours');
  return (
    <>
      <p className={parts['quiet']}>{text('scope.effect')}</p>
      <SectorNames />
      <div className={classes['scope']}>
        <Kind
          type="MARKET"
          title={text('scope.markets')}
          refused={coverage}
          query={queries.markets(WHOLE_LIST)}
          read={(market) => ({
            ...market,
            key: market.market,
            name: text('scope.of', { name: market.market, count: market.instruments }),
          })}
        />
        <Kind
          type="CHANNEL"
          title={text('scope.channels')}
          refused={coverage}
          query={queries.channels(WHOLE_LIST)}
          read={(channel) => ({ ...channel, key: channel.channel, name: channel.channel })}
        />
        <Kind
          type="SECTOR"
          title={text('scope.sectors')}
          search={text('scope.sectors.search')}
          refused={exclusion}
          query={queries.sectors(WHOLE_LIST)}
          read={(sector) => ({ ...sector, key: sector.sector, name: sector.sector })}
          column={{
            id: 'instruments',
            head: text('scope.stocks'),
            kind: 'number',
            render: ({ sector, instruments }) => (
              <Button
                variant="subtle"
                size="compact-xs"
                aria-pressed={stocks.sector === sector}
                onClick={() => narrow({ sector: stocks.sector === sector ? '' : sector })}
              >
                {instruments.toLocaleString('en-US')}{' '}
                <VisuallyHidden>{text('scope.sector.show', { sector })}</VisuallyHidden>
              </Button>
            ),
          }}
        />
        <Kind
          type="INSTRUMENT"
          title={text('scope.stocks')}
          refused={exclusion}
          query={queries.stocks({
            page: stocks.page,
            size: PAGE,
            ...(stocks.q === '' ? {} : { q: stocks.q }),
            ...(stocks.sector === '' ? {} : { sector: stocks.sector }),
            ...(stocks.onlyExcluded ? { enabled: 'false' } : {}),
          })}
          read={(stock) => ({
            ...stock,
            key: stock.code,
            name: `${stock.code} ${stock.name}`,
          })}
          column={{
            id: 'sector',
            head: text('scope.sector'),
            render: (stock) =>
              exclusion === null ? <SectorField key={stock.sector} stock={stock} /> : (stock.sector ?? <NoValue />),
          }}
          tools={
            <div className={parts['bar']}>
              <div className={parts['grow']}>
                <SearchField value={stocks.q} label={text('scope.stocks.search')} onChange={(q) => narrow({ q })} />
              </div>
              {stocks.sector !== '' && (
                <Button
                  variant="default"
                  rightSection={<Glyph name="cross" size={10} />}
                  aria-label={text('board.narrowing.remove', { words: stocks.sector })}
                  onClick={() => narrow({ sector: '' })}
                >
                  {stocks.sector}
                </Button>
              )}
              <Checkbox
                label={text('scope.stocks.excluded')}
                checked={stocks.onlyExcluded}
                onChange={(event) => narrow({ onlyExcluded: event.currentTarget.checked })}
              />
            </div>
          }
          onPage={(page) => setStocks({ ...stocks, page })}
        />
      </div>
    </>
  );
}

interface KindProps<T, Key extends readonly unknown[]> {
  type: Switch['type'];
  title: string;
  /** Why this role may not switch them; null if it may. */
  refused: string | null;
  query: UseQueryOptions<Page<T>, Error, Page<T>, Key>;
  read: (item: T) => Omit<Shown, 'type'>;
  tools?: ReactNode;
  /** Label of the search in a list that is read whole; absent for a short list. */
  search?: string;
  /** A column of this kind only. */
  column?: Column<T>;
  onPage?: (page: number) => void;
}

function Kind<T, Key extends readonly unknown[]>(props: KindProps<T, Key>): ReactNode {
  const { type, title, refused, query, read, tools, search, column, onPage } = props;
  const text = useText();
  const [opened, setOpened] = useState<OpenSheet | null>(null);
  const shownOf = (item: T): Shown => ({ type, ...read(item) });
  const table = {
    label: title,
    idOf: (item: T) => read(item).key,
    columns: [
      { id: 'name', head: text('scope.name'), kind: 'name' as const, render: (item: T) => read(item).name },
      column ?? null,
      { id: 'state', head: text('scope.state'), render: (item: T) => <State one={shownOf(item)} /> },
      { id: 'changed', head: text('scope.changed'), render: (item: T) => <LastChange one={shownOf(item)} /> },
      refused === null
        ? {
            id: 'change',
            head: text('policy.change'),
            render: (item: T) => <SwitchButtons one={shownOf(item)} onOpen={setOpened} />,
          }
        : null,
    ],
  };
  return (
    <Panel title={title} {...(refused === null ? {} : { aside: <span className={parts['quiet']}>{refused}</span> })}>
      {tools}
      {opened !== null && <ScopeSheet opened={opened} onClose={() => setOpened(null)} />}
      <Loaded query={useQuery(query)}>
        {(found) =>
          found.total === 0 ? (
            <p className={parts['quiet']}>{text('scope.none')}</p>
          ) : onPage === undefined ? (
            <SearchedRows search={search} rows={found.items} nameOf={(item) => read(item).name}>
              {(rows) => <DataTable {...table} rows={rows} />}
            </SearchedRows>
          ) : (
            <PagedTable {...table} page={found} count={text('scope.total', { total: found.total })} onPage={onPage} />
          )
        }
      </Loaded>
    </Panel>
  );
}

/** A list that is read whole, showing its first rows: the others by search or on demand. */
function SearchedRows<T>({
  search,
  rows,
  nameOf,
  children,
}: {
  search: string | undefined;
  rows: readonly T[];
  nameOf: (row: T) => string;
  children: (rows: readonly T[]) => ReactNode;
}): ReactNode {
  const text = useText();
  const [q, setQ] = useState('');
  const [hasAll, setHasAll] = useState(false);
  if (search === undefined || rows.length <= FIRST_ROWS) return children(rows);
  const found = rows.filter((row) => nameOf(row).toLowerCase().includes(q.toLowerCase()));
  const shown = hasAll ? found : found.slice(0, FIRST_ROWS);
  return (
    <>
      <div className={parts['bar']}>
        <div className={parts['grow']}>
          <SearchField value={q} label={search} onChange={setQ} />
        </div>
        <span className={parts['quiet']} role="status">
          {text('scope.found', { shown: shown.length, total: found.length })}
        </span>
      </div>
      {found.length === 0 ? <p className={parts['quiet']}>{text('scope.none')}</p> : children(shown)}
      {found.length > FIRST_ROWS && (
        <Button variant="subtle" size="compact-sm" onClick={() => setHasAll(!hasAll)}>
          {text(hasAll ? 'scope.fewer' : 'scope.all', { total: found.length })}
        </Button>
      )}
    </>
  );
}

function State({ one }: { one: Shown }): ReactNode {
  const text = useText();
  const { enabled, reason, confirmation } = one;
  return (
    <>
      <Tag tone={enabled ? 'good' : 'stop'} glyph={enabled ? 'tick' : 'stopped'}>
        {text(enabled ? 'scope.on' : 'scope.off')}
      </Tag>
      {isUnconfirmed(one) && (
        <>
          {' '}
          <Tag tone="bad" glyph="warning">
            {text('scope.unconfirmed')}
          </Tag>
        </>
      )}
      {reason !== null && <p className={parts['quiet']}>{text('scope.why', { reason })}</p>}
      {confirmation !== null && (
        <p className={parts['quiet']}>
          {text('scope.confirmed', { reason: confirmation.reason, by: confirmation.by })}
        </p>
      )}
    </>
  );
}

/** A big switch that is off warns in every console until it is confirmed (D227). */
const isUnconfirmed = ({ type, enabled, confirmation }: Shown): boolean =>
  type !== 'INSTRUMENT' && !enabled && confirmation === null;

function SwitchButtons({ one, onOpen }: { one: Shown; onOpen: (opened: OpenSheet) => void }): ReactNode {
  const text = useText();
  const { enabled, name } = one;
  return (
    <div className={parts['buttons']}>
      <Button
        variant="default"
        size="compact-xs"
        aria-label={text(enabled ? 'scope.switchOffNamed' : 'scope.switchOnNamed', { name })}
        onClick={() => onOpen({ act: 'press', one })}
      >
        {text(enabled ? 'scope.switchOff' : 'scope.switchOn')}
      </Button>
      {isUnconfirmed(one) && (
        <Button
          variant="default"
          size="compact-xs"
          aria-label={text('scope.confirmNamed', { name })}
          onClick={() => onOpen({ act: 'confirm', one })}
        >
          {text('scope.confirm')}
        </Button>
      )}
    </div>
  );
}

function LastChange({ one: { changedBy, changedAt } }: { one: Shown }): ReactNode {
  if (changedAt === null) return <NoValue />;
  return (
    <>
      {changedBy} <KstTime at={changedAt} />
    </>
  );
}
