import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { Glyph } from '../../../shared/ui/parts/glyphs.tsx';
import { kstShort } from '../../../shared/ui/time/format.ts';
import { useNow } from '../../../shared/ui/time/use-now.ts';
import { UNCONFIRMED } from '../../api/scope.ts';
import { useConsole } from '../../api/console-context.tsx';
import { useText } from '../../i18n/use-text.ts';
import classes from './outage-notice.module.css';

/** Names that the strip shows. */
const NAMED = 3;

/** Warns every user of a market, channel or sector that is off, until it is on again or confirmed as intended (D227). */
export function ExclusionNotice(): ReactNode {
  const text = useText();
  const { queries } = useConsole();
  const now = useNow(60_000);
  const { data } = useQuery(queries.exclusions(UNCONFIRMED));
  const [first] = data?.items ?? [];
  if (data === undefined || first === undefined) return null;
  const named = data.items.slice(0, NAMED).map(({ type, key }) => `${text(`scope.kind.${type}`)} ${key}`);
  const names = named.join(', ');
  const more = data.total - named.length;
  const words =
    data.total === 1
      ? text('exclusion.one', { kind: text(`scope.kind.${first.type}`), key: first.key })
      : text('exclusion.many', {
          count: data.total,
          names: more > 0 ? text('exclusion.more', { names, more }) : names,
        });
  return (
    <aside
      className={classes['notice']}
      aria-label={text('exclusion.title')}
      data-tone="bad"
      data-exclusions={data.total}
    >
      <Glyph name="warning" size={14} />
      <strong role="status">{words}</strong>
      <span>{text('exclusion.by', { by: first.changedBy, time: kstShort(first.changedAt, now) ?? '' })}</span>
      {data.total === 1 && first.reason !== null && <span>{text('scope.why', { reason: first.reason })}</span>}
      <Link href="/settings/scope">{text('exclusion.open')}</Link>
    </aside>
  );
}
