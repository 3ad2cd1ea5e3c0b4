import { useId, type ReactNode } from 'react';
import classes from './panel.module.css';

/** A titled part of a screen; a region of its own for assistive technology. */
export function Panel({
  title,
  level = 3,
  aside,
  children,
}: {
  title: ReactNode;
  /** Of the heading: 2 directly on a screen, 3 below the heading of what is open. */
  level?: 2 | 3;
  aside?: ReactNode;
  children: ReactNode;
}): ReactNode {
  const id = useId();
  const Heading = `h${level}` as const;
  return (
    <section className={classes['panel']} aria-labelledby={id}>
      <header className={classes['head']}>
        <Heading id={id} className={classes['title']}>
          {title}
        </Heading>
        {aside}
      </header>
      {children}
    </section>
  );
}

/** Names beside their values, in columns of equal width for any content. */
export function Facts({
  rows,
  isDense = false,
}: {
  rows: readonly (readonly [name: string, value: ReactNode])[];
  /** Short names and values, such as times: more columns in the same room. */
  isDense?: boolean;
}): ReactNode {
  return (
    <dl className={classes['facts']} data-dense={isDense || undefined}>
      {rows.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
