import { useId, type ReactNode } from 'react';
import classes from './panel.module.css';

/** A titled part of a screen; a region of its own for assistive technology. */
export function Panel({
  title,
  aside,
  children,
}: {
  title: ReactNode;
  aside?: ReactNode;
  children: ReactNode;
}): ReactNode {
  const id = useId();
  return (
    <section className={classes['panel']} aria-labelledby={id}>
      <header className={classes['head']}>
        <h3 id={id} className={classes['title']}>
          {title}
        </h3>
        {aside}
      </header>
      {children}
    </section>
  );
}

/** Names and values in two columns. */
export function Facts({ rows }: { rows: readonly (readonly [name: string, value: ReactNode])[] }): ReactNode {
  return (
    <dl className={classes['facts']}>
      {rows.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
