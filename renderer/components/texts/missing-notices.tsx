import type { ReactNode } from 'react';
import type { MissingNotice } from '../../../shared/wire/console/screening.ts';
import { useText } from '../../i18n/use-text.ts';
import classes from './texts.module.css';

/** Every required notice that a text lacks, with its severity and accepted wordings. */
export function MissingNotices({ missing }: { missing: readonly MissingNotice[] }): ReactNode {
  const text = useText();
  if (missing.length === 0) return null;
  return (
    <section aria-label={text('edit.missing', { count: missing.length })}>
      <p>{text('edit.missing', { count: missing.length })}</p>
      <ul className={classes['hits']}>
        {missing.map(({ noticeId, name, severity, terms }) => (
          <li key={noticeId}>
            <span className={classes['markLabel']} data-severity={severity}>
              {text(`severity.${severity}`)}
            </span>
            <strong lang="ko">{name}</strong>
            <span>{text('edit.missing.terms', { terms: terms.join(', ') })}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
