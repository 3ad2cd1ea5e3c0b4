import { useMemo, type ReactNode } from 'react';
import { Tag } from '../../../../shared/ui/parts/badge.tsx';
import { EmptyState } from '../../../../shared/ui/parts/data-state.tsx';
import { PagedTable, type Column } from '../../../../shared/ui/table/data-table.tsx';
import { useText } from '../../i18n/use-text.ts';
import { CsvButton } from '../../lists/csv-button.tsx';
import type { CsvColumn } from '../../lists/csv.ts';
import type { ReadFacts } from '../../rules/rule.ts';
import runs from '../../runs/runs.module.css';
import { subjectFields, type AxisId, type AxisRow, type Field } from './values/axes.ts';
import { factCell } from './values/fact-cell.ts';
import { FactLink, placeOfFact } from './values/fact-link.tsx';
import { useFactName } from './values/fact-names.ts';
import classes from './values/facts.module.css';
import { compareAxis, type ComparedField, type Side } from './compare.ts';
import { FactValue } from './values/fact-value.tsx';
import { holds, pageOf } from './paging.ts';
import type { FactsView } from './values/facts-view.ts';

const PAGE = 100;
const SIDES = ['left', 'right'] as const;

export interface CompareTableProps {
  facts: ReadFacts;
  against: ReadFacts;
  view: FactsView;
  onPage: (page: number) => void;
}

/** An axis of two days side by side, the earlier one on the left. */
export function CompareTable({ facts, against, view, onPage }: CompareTableProps): ReactNode {
  const text = useText();
  const { axis } = view;
  const [left, right] = against.meta.today <= facts.meta.today ? [against, facts] : [facts, against];
  const compared = useMemo(() => compareAxis(axis, left, right), [axis, left, right]);
  if (!Array.isArray(compared.left) || !Array.isArray(compared.right))
    return (
      <>
        <AxisState facts={left} rows={compared.left} />
        <AxisState facts={right} rows={compared.right} />
      </>
    );
  const found = compared.fields.filter(
    (one) =>
      (view.withSame || !one.isSame) &&
      holds([one.rows.left?.name, one.rows.right?.name, valueOf(one.left), valueOf(one.right)], view.q),
  );
  if (found.length === 0) return <EmptyState title={text(view.q === '' ? 'compare.nothing' : 'facts.noMatch')} />;
  const { items, page } = pageOf(found, view.page, PAGE);
  const days = { left: left.meta.today, right: right.meta.today };
  return (
    <div className={runs['scroll']} role="region" aria-label={text(`facts.axis.${axis}`)} tabIndex={0}>
      <CsvButton
        name={`compared-${axis}-${days.left}-${days.right}`}
        rows={found}
        columns={[
          [text('compare.row'), ({ rows }) => (rows.right ?? rows.left)?.name],
          [text('compare.field'), ({ field }) => text(`facts.field.${field.name}`)],
          ...SIDES.map((which): CsvColumn<ComparedField> => [
            days[which],
            (one) => factCell(valueOf(one[which]), one.field.kind),
          ]),
        ]}
      />
      <PagedTable
        isDense
        label={text(`facts.axis.${axis}`)}
        page={{ items, page, size: PAGE, total: found.length }}
        count={text('compare.fields', { total: found.length })}
        idOf={({ key, field }) => `${key} ${field.name}`}
        isQuiet={({ isSame }) => isSame}
        onPage={onPage}
        columns={[
          {
            id: 'row',
            head: text('compare.row'),
            kind: 'name',
            render: ({ rows }) => <RowLinks axis={axis} rows={rows} days={days} />,
          },
          { id: 'field', head: text('compare.field'), render: ({ field }) => text(`facts.field.${field.name}`) },
          ...SIDES.map((which): Column<ComparedField> => ({
            id: which,
            head: days[which],
            kind: 'short',
            render: ({ [which]: side, field }) => <SideValue side={side} field={field} axis={axis} day={days[which]} />,
          })),
          {
            id: 'difference',
            head: text('compare.difference'),
            kind: 'short',
            render: (one) => <DifferenceWord {...one} />,
          },
        ]}
      />
      <p className={runs['note']}>{text('compare.dates')}</p>
    </div>
  );
}

const valueOf = (side: Side): unknown => (side.row ? side.value : null);

type Days = Readonly<Record<(typeof SIDES)[number], string>>;

/** The subjects of a row as links; a run of each day where both days have one. */
function RowLinks({ axis, rows, days }: { axis: AxisId; rows: ComparedField['rows']; days: Days }): ReactNode {
  const nameOf = useFactName();
  const subjects = SIDES.flatMap((which) => {
    const cells = rows[which]?.cells ?? {};
    return subjectFields(axis).flatMap((field) => {
      const value = cells[field];
      if (typeof value !== 'string' || value === '') return [];
      return [{ name: nameOf(value) ?? value, place: placeOfFact(axis, field, value, days[which]) }];
    });
  });
  return (
    <ul className={`${classes['subjects']} ${runs['targets']}`}>
      {[...new Map(subjects.map((subject) => [subject.name, subject])).values()].map(({ name, place }) => (
        <li key={name}>
          <FactLink place={place}>{name}</FactLink>
        </li>
      ))}
    </ul>
  );
}

function SideValue({ side, field, axis, day }: { side: Side; field: Field; axis: AxisId; day: string }): ReactNode {
  const text = useText();
  if (!side.row) return <Tag glyph="gap">{text('compare.noRow')}</Tag>;
  return (
    <FactLink place={placeOfFact(axis, field.name, side.value, day)}>
      <FactValue value={side.value} kind={field.kind} />
    </FactLink>
  );
}

function DifferenceWord({ isSame, change }: ComparedField): ReactNode {
  const text = useText();
  if (isSame) return text('compare.same');
  if (change === null) return <Tag tone="info">{text('compare.changed')}</Tag>;
  const size = Math.abs(change).toLocaleString('en-US', { maximumFractionDigits: 4 });
  return (
    <Tag tone="info" glyph={change > 0 ? 'up' : 'down'}>
      {change > 0 ? `+${size}` : `−${size}`}
    </Tag>
  );
}

/** The state of an axis of a day without rows to compare. */
function AxisState({ facts, rows }: { facts: ReadFacts; rows: readonly AxisRow[] | null | undefined }): ReactNode {
  const text = useText();
  return (
    <p>
      {facts.meta.today}{' '}
      {rows === undefined
        ? text('facts.axisAbsent')
        : rows === null
          ? text('facts.axisNull')
          : text('facts.rows', { total: rows.length })}
    </p>
  );
}
