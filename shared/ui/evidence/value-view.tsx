import type { ReactNode } from 'react';
import { useSharedText } from '../i18n/use-text.ts';
import { NoValue } from '../time/times.tsx';
import { shapeOf } from './value-shape.ts';
import classes from './evidence.module.css';

/** A stored JSON value: a record as names and values, a list of like records as a table. */
export function ValueView({ value, label }: { value: unknown; label: string }): ReactNode {
  const text = useSharedText();
  const laid = shapeOf(value);
  switch (laid.shape) {
    case 'none':
      return <NoValue />;
    case 'scalar':
      return <span data-numeric={laid.numeric || undefined}>{laid.text}</span>;
    case 'list':
      if (laid.values.length === 0) return <NoValue />;
      return (
        <ol className={classes['list']} aria-label={label}>
          {laid.values.map((item, index) => (
            <li key={index}>
              <ValueView value={item} label={text('value.item', { n: index + 1 })} />
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
                    {column}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {laid.rows.map((row, index) => (
                <tr key={index}>
                  {laid.columns.map((column) => (
                    <td key={column}>
                      <ValueView value={row[column]} label={column} />
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
                <th scope="row">{name}</th>
                <td>
                  <ValueView value={member} label={name} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      );
  }
}
