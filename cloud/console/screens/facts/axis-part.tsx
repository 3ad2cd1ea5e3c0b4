import { Checkbox } from '@mantine/core';
import { useMemo, type ReactNode } from 'react';
import { Link } from 'wouter';
import { Tag } from '../../../../shared/ui/parts/badge.tsx';
import { EmptyState } from '../../../../shared/ui/parts/data-state.tsx';
import { Panel } from '../../../../shared/ui/parts/panel.tsx';
import { SearchField } from '../../../../shared/ui/parts/search-field.tsx';
import { PagedTable, type Column } from '../../../../shared/ui/table/data-table.tsx';
import { useText } from '../../i18n/use-text.ts';
import { CsvButton } from '../../lists/csv-button.tsx';
import type { CsvColumn } from '../../lists/csv.ts';
import type { ReadFacts } from '../../rules/rule.ts';
import { RawJson } from '../../runs/raw-json.tsx';
import runs from '../../runs/runs.module.css';
import { AXIS_IDS, fieldsOf, isCurrent, rowsOf, type AxisId, type AxisRow } from './values/axes.ts';
import { CompareTable } from './compare-table.tsx';
import { useFactName } from './values/fact-names.ts';
import { factCell } from './values/fact-cell.ts';
import { FactLink, placeOfFact } from './values/fact-link.tsx';
import { FactLegend, FactValue } from './values/fact-value.tsx';
import classes from './values/facts.module.css';
import type { FactsView } from './values/facts-view.ts';
import { holds, pageOf } from './paging.ts';
import { isToday } from './values/sides.ts';

export interface AxisPartProps {
  facts: ReadFacts;
  /** The day beside it; null for none. */
  against: ReadFacts | null;
  /** The facts that the open verdict names. */
  named: readonly string[];
  view: FactsView;
  hrefOf: (changes: Partial<FactsView>) => string;
  onChange: (changes: Partial<FactsView>) => void;
}

/** The facts, an axis at a time: as a table, or beside another day's. */
export function AxisPart({ facts, against, named, view, hrefOf, onChange }: AxisPartProps): ReactNode {
  const text = useText();
  const { axis } = view;
  const rows = useMemo(() => rowsOf(axis, facts), [axis, facts]);
  return (
    <Panel level={2} title={text('facts.title')}>
      <nav id="facts-axes" className={classes['axes']} aria-label={text('facts.axes')}>
        {AXIS_IDS.map((one) => (
          <Link
            key={one}
            href={hrefOf({ axis: one, page: 1, q: '' })}
            aria-current={one === axis ? 'true' : undefined}
            data-current={isCurrent(one) || undefined}
          >
            {text(`facts.axis.${one}`)} <AxisCount rows={rowsOf(one, facts)} />
          </Link>
        ))}
      </nav>
      <div className={classes['axisTools']}>
        <SearchField
          key={axis}
          label={text('facts.search')}
          value={view.q}
          onChange={(q) => onChange({ q, page: 1 })}
        />
        {Array.isArray(rows) && against === null && (
          <CsvButton
            name={`facts-${axis}-${facts.meta.today}`}
            rows={rows}
            columns={fieldsOf(axis).map(({ name, kind }): CsvColumn<AxisRow> => [
              text(`facts.field.${name}`),
              ({ cells }) => factCell(cells[name], kind),
            ])}
          />
        )}
        {isCurrent(axis) && !isToday(facts) && (
          <Tag tone="wait" glyph="waiting">
            {text('verdicts.current')}
          </Tag>
        )}
        {against !== null && (
          <Checkbox
            size="xs"
            label={text('compare.showSame')}
            checked={view.withSame}
            onChange={({ currentTarget }) => onChange({ withSame: currentTarget.checked, page: 1 })}
          />
        )}
      </div>
      <p className={runs['note']}>{text(`facts.note.${axis}`)}</p>
      {against === null ? (
        <AxisTable
          axis={axis}
          rows={rows}
          date={facts.meta.today}
          named={named}
          view={view}
          onPage={(page) => onChange({ page })}
        />
      ) : (
        <CompareTable facts={facts} against={against} view={view} onPage={(page) => onChange({ page })} />
      )}
      <FactLegend />
    </Panel>
  );
}

/** The number of rows, or that the axis is absent. */
function AxisCount({ rows }: { rows: readonly AxisRow[] | null | undefined }): ReactNode {
  return <FactValue value={Array.isArray(rows) ? rows.length : rows} kind="number" />;
}

/** The id of a row, beside its name where it has one. */
function RowName({ id }: { id: unknown }): ReactNode {
  const name = useFactName()(id);
  return name === null ? (
    <FactValue value={id} />
  ) : (
    <>
      {name} <code className={classes['pointer']}>{String(id)}</code>
    </>
  );
}

const PAGE = 100;

function AxisTable({
  axis,
  rows,
  date,
  named,
  view,
  onPage,
}: {
  axis: AxisId;
  rows: readonly AxisRow[] | null | undefined;
  /** The day of the facts. */
  date: string;
  named: readonly string[];
  view: FactsView;
  onPage: (page: number) => void;
}): ReactNode {
  const text = useText();
  if (rows === undefined) return <EmptyState title={text('facts.axisAbsent')} />;
  if (rows === null) return <EmptyState title={text('facts.axisNull')} />;
  if (rows.length === 0) return <EmptyState title={text('facts.noRows')} />;
  const found = rows.filter(({ cells }) => holds(Object.values(cells), view.q));
  if (found.length === 0) return <EmptyState title={text('facts.noMatch')} />;
  const { items, page } = pageOf(found, view.page, PAGE);
  const columns = fieldsOf(axis).map(({ name, kind }): Column<AxisRow> => ({
    id: name,
    head: text(`facts.field.${name}`),
    ...(kind === 'name' || kind === 'number' ? { kind } : kind === 'word' ? {} : { kind: 'short' }),
    render: ({ cells }) => (
      <FactLink place={placeOfFact(axis, name, cells[name], date)}>
        {kind === 'name' ? <RowName id={cells[name]} /> : <FactValue value={cells[name]} kind={kind} isShort />}
      </FactLink>
    ),
  }));
  return (
    <div className={runs['scroll']} role="region" aria-label={text(`facts.axis.${axis}`)} tabIndex={0}>
      <PagedTable
        isDense
        label={text(`facts.axis.${axis}`)}
        columns={columns}
        page={{ items, page, size: PAGE, total: found.length }}
        count={text('facts.rows', { total: found.length })}
        idOf={({ at }) => at}
        isCurrent={({ at }) => named.some((pointer) => pointer === at || pointer.startsWith(`${at}/`))}
        onPage={onPage}
      />
      <RawJson of={items.map(({ cells }) => cells)} label={text('facts.raw')} />
    </div>
  );
}
