import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { Glyph } from '../../../shared/ui/parts/glyphs.tsx';
import { useConsole } from '../../api/console-context.tsx';
import { useText } from '../../i18n/use-text.ts';
import classes from './outage-notice.module.css';

/** Warns while no policy is in force: texts of v2 then go out without a disclaimer (D61). */
export function PolicyNotice(): ReactNode {
  const text = useText();
  const { queries } = useConsole();
  const { data } = useQuery(queries.disclaimer);
  if (data === undefined || data.disclaimer !== null) return null;
  return (
    <aside className={classes['notice']} aria-label={text('policy.none')} data-tone="bad" data-policy="none">
      <Glyph name="warning" size={14} />
      <strong role="status">{text('policy.none')}</strong>
      <span>{text('policy.none.effect')}</span>
      <Link href="/policy">{text('policy.none.open')}</Link>
    </aside>
  );
}
