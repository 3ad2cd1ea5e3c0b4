import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { DataTable, type Column } from '../../../../../shared/ui/table/data-table.tsx';
import { Glyph } from '../../../../../shared/ui/parts/glyphs.tsx';
import { useText } from '../../../i18n/use-text.ts';
import { CsvButton } from '../../../lists/csv-button.tsx';
import type { CsvColumn } from '../../../lists/csv.ts';
import { daysPlace } from '../../../navigation/places.ts';
import type { MessageId } from '../../../i18n/use-text.ts';
import { FactValue } from '../values/fact-value.tsx';
import type { DayMark } from './day-marks.ts';
import classes from './trends.module.css';

export interface TrendTableProps<Point extends { date: string }, Name extends string> {
  name: string;
  points: readonly Point[];
  fields: readonly Name[];
  headOf: (field: Name) => MessageId;
  valueOf: (point: Point, field: Name) => string | number | null;
  marks: ReadonlyMap<string, DayMark>;
  /** The day that is read off in the charts. */
  at: string | null;
}

/** The same as the charts in numbers, the newest day first; each day leads to its runs. */
export function TrendTable<Point extends { date: string }, Name extends string>({
  name,
  points,
  fields,
  headOf,
  valueOf,
  marks,
  at,
}: TrendTableProps<Point, Name>): ReactNode {
  const text = useText();
  return (
    <div className={classes['tablePlace']} role="region" aria-label={text('trends.table', { name })} tabIndex={0}>
      <CsvButton
        name="trend"
        rows={points}
        columns={[
          [text('trends.date'), ({ date }) => date],
          ...fields.map((field): CsvColumn<Point> => [text(headOf(field)), (point) => valueOf(point, field)]),
        ]}
      />
      <DataTable
        isDense
        label={name}
        rows={points.toReversed()}
        idOf={({ date }) => date}
        isCurrent={({ date }) => date === at}
        isQuiet={({ date }) => marks.get(date)?.isTrading === false}
        columns={[
          {
            id: 'date',
            head: text('trends.date'),
            kind: 'name',
            render: ({ date }) => <Link href={daysPlace(date)}>{date}</Link>,
          },
          ...fields.map((field): Column<Point> => ({
            id: field,
            head: text(headOf(field)),
            kind: 'number',
            render: (point) => <FactValue value={valueOf(point, field)} kind="number" />,
          })),
          { id: 'day', head: text('trends.day'), kind: 'short', render: ({ date }) => <Day mark={marks.get(date)} /> },
        ]}
      />
    </div>
  );
}

function Day({ mark }: { mark: DayMark | undefined }): ReactNode {
  const text = useText();
  if (mark === undefined) return null;
  const { blocked, missed } = mark.runs ?? { blocked: 0, missed: 0 };
  return (
    <>
      {!mark.isTrading && text('trends.closed')}
      {!mark.isTrading && blocked + missed > 0 && ' · '}
      {blocked + missed > 0 && (
        <span className={classes['badDay']}>
          <Glyph name="warning" size={11} /> {text('trends.badRuns', { blocked, missed })}
        </span>
      )}
    </>
  );
}
