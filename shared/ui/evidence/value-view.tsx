import type { ReactNode } from 'react';
import { useSharedText } from '../i18n/use-text.ts';
import { withMinus } from '../parts/percent.ts';
import { NoValue } from '../time/times.tsx';
import { shapeOf } from './value-shape.ts';
import classes from './evidence.module.css';

export interface ValueViewProps {
  value: unknown;
  label: string;
  /** The screen's name for a stored name. */
  nameOf?: ((name: string) => string) | undefined;
}

/** A stored JSON value: a record as names and values, a list of records of one shape as a table. */
export function ValueView({ value, label, nameOf = (name) => name }: ValueViewProps): ReactNode {
  const text = useSharedText();
  const laid = shapeOf(value);
  switch (laid.shape) {
    case 'none':
      return <NoValue />;
    case 'scalar':
      return <span data-numeric={laid.numeric || undefined}>{laid.numeric ? withMinus(laid.text) : laid.text}</span>;
    case 'list':
      if (laid.values.length === 0) return <NoValue />;
      return (
        <ol className={classes['list']} aria-label={label}>
          {laid.values.map((item, index) => (
            <li key={index}>
              <ValueView value={item} label={text('value.item', { n: index + 1 })} nameOf={nameOf} />
            </li>
          ))}
        </ol>
      );
    case 'table':
      return (
        <div className={classes['scroll']} role="region" aria-label={label} tabIndex={0}>
          <table className={classes['table']}>
            <thead>
              <tr>
                {laid.columns.map((column) => (
                  <th key={column} scope="col">
                    {nameOf(column)}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {laid.rows.map((row, index) => (
                <tr key={index}>
                  {laid.columns.map((column) => (
                    <td key={column}>
                      <ValueView value={row[column]} label={nameOf(column)} nameOf={nameOf} />
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      );
    case 'record':
      if (laid.entries.length === 0) return <p className={classes['quiet']}>{text('evidence.emptyObject')}</p>;
      return (
        <table className={classes['table']} aria-label={label}>
          <tbody>
            {laid.entries.map(([name, member]) => (
              <tr key={name}>
                <th scope="row">{nameOf(name)}</th>
                <td>
                  <ValueView value={member} label={nameOf(name)} nameOf={nameOf} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      );
  }
}
