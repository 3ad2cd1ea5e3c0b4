import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { kstDate } from '../../../shared/time/kst.ts';
import { KstTime } from '../../../shared/ui/time/times.tsx';
import type { Traffic, TrafficMark } from '../../../shared/wire/console/console.ts';
import parts from '../../components/parts/parts.module.css';
import { useText } from '../../i18n/use-text.ts';
import { auditHref } from '../settings/audit-filter.ts';
import classes from './dashboard.module.css';
import { isWithinHour } from './traffic-model.ts';

/** The newest of them; the others are in the audit log. */
const LISTED = 12;

/** A diamond for a policy version; a square for a switch, full where it was switched off. Around x = 0, at the top. */
export function MarkSign({ mark }: { mark: TrafficMark }): ReactNode {
  if (mark.kind === 'POLICY') return <path d="M0 1 5 6 0 11-5 6z" className={classes['sign']} />;
  return <rect x="-4" y="2" width="8" height="8" className={classes['sign']} data-on={mark.enabled || undefined} />;
}

/** The changes of what is exposed, each a link to its row in the audit log. */
export function TrafficMarks({
  traffic: { marks, from, to },
  hour,
}: {
  traffic: Traffic;
  /** The marks of this hour stand out. */
  hour: { at: string } | undefined;
}): ReactNode {
  const text = useText();
  const more = marks.length - LISTED;
  if (marks.length === 0) return <p className={parts['quiet']}>{text('traffic.marks.none')}</p>;
  return (
    <ul className={classes['marks']} aria-label={text('traffic.marks')}>
      {marks.slice(-LISTED).map((mark) => (
        <li key={mark.seq} data-chosen={isWithinHour(mark, hour) || undefined}>
          <svg width="12" height="12" viewBox="-6 0 12 12" aria-hidden="true">
            <MarkSign mark={mark} />
          </svg>
          <KstTime at={mark.at} /> <Link href={auditHref({ row: String(mark.seq) })}>{wordsOf(mark, text)}</Link>
        </li>
      ))}
      {more > 0 && (
        <li>
          <Link href={auditHref({ from: kstDate(new Date(from)), to: kstDate(new Date(to)) })}>
            {text('traffic.marks.more', { more })}
          </Link>
        </li>
      )}
    </ul>
  );
}

function wordsOf(mark: TrafficMark, text: ReturnType<typeof useText>): string {
  if (mark.kind !== 'POLICY')
    return text(`traffic.mark.${mark.enabled ? 'on' : 'off'}`, {
      kind: text(`scope.kind.${mark.kind}`),
      key: mark.key,
    });
  const { version, autoProvision } = mark;
  if (autoProvision === null) return text('traffic.mark.policy', { version });
  return text(`traffic.mark.policy.${autoProvision ? 'automatic' : 'manual'}`, { version });
}
