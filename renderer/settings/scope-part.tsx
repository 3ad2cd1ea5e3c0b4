import { useQuery, type UseQueryOptions } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { ListFoot } from '../../shared/ui/list/list-screen.tsx';
import { Tag } from '../../shared/ui/parts/badge.tsx';
import { Loaded } from '../../shared/ui/parts/data-state.tsx';
import { Panel } from '../../shared/ui/parts/panel.tsx';
import { SearchField } from '../../shared/ui/parts/search-field.tsx';
import { KstTime, NoValue } from '../../shared/ui/time/times.tsx';
import type { Page } from '../../shared/wire/console.ts';
import { useConsole } from '../api/console-context.tsx';
import { useText } from '../i18n/use-text.ts';
import { ChangeError } from '../parts/change-error.tsx';
import { ConfirmButton } from '../parts/confirm-button.tsx';
import parts from '../parts/parts.module.css';
import { useChange } from '../parts/use-change.ts';
import { useMay } from '../session/session-context.ts';

const PAGE = 20;

/** What one row of any of the four kinds says. */
interface Switch {
  key: string;
  name: string;
  enabled: boolean;
  changedBy: string | null;
  changedAt: string | null;
  version: number;
}

/** The four kinds (document 1 section 4, rule 4): coverage is the Tenant Admin's, exclusion the reviewer's. */
export function ScopePart(): ReactNode {
  const text = useText();
  const may = useMay();
  const { api, queries } = useConsole();
  const [stockPage, setStockPage] = useState(1);
  const [q, setQ] = useState('');
  const all = { page: 1, size: 100 };
  const coverage = may('scope.coverage') ? null : text('scope.coverageNotYours');
  const exclusion = may('scope.exclude') ? null : text('scope.exclusionNotYours');
  return (
    <>
      <p className={parts['quiet']}>{text('scope.effect')}</p>
      <div className={parts['columns']}>
        <Kind
          title={text('scope.markets')}
          refused={coverage}
          query={queries.markets(all)}
          read={(market) => ({
            ...market,
            key: market.market,
            name: text('scope.of', { name: market.market, count: market.instruments }),
          })}
          toggle={({ key, version }) => api.toggleMarket(key, version)}
        />
        <Kind
          title={text('scope.channels')}
          refused={coverage}
          query={queries.channels(all)}
          read={(channel) => ({ ...channel, key: channel.channel, name: channel.channel })}
          toggle={({ key, version }) => api.toggleChannel(key, version)}
        />
        <Kind
          title={text('scope.sectors')}
          refused={exclusion}
          query={queries.sectors(all)}
          read={(sector) => ({
            ...sector,
            key: sector.sector,
            name: text('scope.of', { name: sector.sector, count: sector.instruments }),
          })}
          toggle={({ key, version }) => api.toggleSector(key, version)}
        />
        <Kind
          title={text('scope.stocks')}
          refused={exclusion}
          query={queries.stocks({ page: stockPage, size: PAGE, ...(q === '' ? {} : { q }) })}
          read={(stock) => ({
            ...stock,
            key: stock.code,
            name: [stock.code, stock.name, stock.sector].filter((part) => part !== null).join(' '),
          })}
          toggle={({ key, version }) => api.toggleStock(key, version)}
          tools={
            <SearchField
              value={q}
              label={text('scope.stocks.search')}
              onChange={(next) => {
                setQ(next);
                setStockPage(1);
              }}
            />
          }
          page={stockPage}
          onPage={setStockPage}
        />
      </div>
    </>
  );
}

interface KindProps<T, Key extends readonly unknown[]> {
  title: string;
  /** Why this role switches none of them; null where it may. */
  refused: string | null;
  query: UseQueryOptions<Page<T>, Error, Page<T>, Key>;
  read: (item: T) => Switch;
  toggle: (one: Switch) => Promise<unknown>;
  tools?: ReactNode;
  page?: number;
  onPage?: (page: number) => void;
}

function Kind<T, Key extends readonly unknown[]>(props: KindProps<T, Key>): ReactNode {
  const { title, refused, query, read, toggle, tools, page = 1, onPage } = props;
  const text = useText();
  const change = useChange(toggle, text('scope.done'));
  return (
    <Panel title={title} {...(refused === null ? {} : { aside: <span className={parts['quiet']}>{refused}</span> })}>
      {tools}
      <ChangeError error={change.error} />
      <Loaded query={useQuery(query)}>
        {({ items, total, size }) =>
          total === 0 ? (
            <p className={parts['quiet']}>{text('scope.none')}</p>
          ) : (
            <>
              <table className={parts['table']} aria-label={title}>
                <thead>
                  <tr>
                    <th scope="col">{text('scope.name')}</th>
                    <th scope="col">{text('scope.state')}</th>
                    <th scope="col">{text('scope.changed')}</th>
                    {refused === null && <th scope="col">{text('policy.change')}</th>}
                  </tr>
                </thead>
                <tbody>
                  {items.map((item) => {
                    const one = read(item);
                    return (
                      <tr key={one.key}>
                        <th scope="row">{one.name}</th>
                        <td>
                          <Tag tone={one.enabled ? 'good' : 'stop'} glyph={one.enabled ? 'tick' : 'stopped'}>
                            {text(one.enabled ? 'scope.on' : 'scope.off')}
                          </Tag>
                        </td>
                        <td>
                          {one.changedAt === null ? (
                            <NoValue />
                          ) : (
                            <>
                              {one.changedBy} <KstTime at={one.changedAt} />
                            </>
                          )}
                        </td>
                        {refused === null && (
                          <td>
                            <ConfirmButton
                              key={String(one.enabled)}
                              label={text(one.enabled ? 'scope.switchOff' : 'scope.switchOn')}
                              named={text(one.enabled ? 'scope.switchOffNamed' : 'scope.switchOnNamed', {
                                name: one.name,
                              })}
                              isBusy={change.isPending && change.variables.key === one.key}
                              onConfirm={() => change.mutate(one)}
                            />
                          </td>
                        )}
                      </tr>
                    );
                  })}
                </tbody>
              </table>
              {onPage !== undefined && (
                <ListFoot
                  count={text('scope.total', { total })}
                  pages={Math.ceil(total / size)}
                  page={page}
                  onPage={onPage}
                />
              )}
            </>
          )
        }
      </Loaded>
    </Panel>
  );
}
