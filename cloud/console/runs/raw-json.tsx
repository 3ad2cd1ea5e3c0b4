import { useState, type ReactNode } from 'react';
import { useText } from '../i18n/use-text.ts';
import classes from './runs.module.css';

/** The API's answer behind a view, written out once the user opens it. */
export function RawJson({ of, label }: { of: unknown; label?: string }): ReactNode {
  const text = useText();
  const [isOpen, setIsOpen] = useState(false);
  const name = label ?? text('run.raw');
  return (
    <details className={classes['raw']} onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
      <summary>{name}</summary>
      {isOpen && (
        <pre tabIndex={0} aria-label={name}>
          {JSON.stringify(of, null, 1)}
        </pre>
      )}
    </details>
  );
}
