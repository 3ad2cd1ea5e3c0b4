import { useId, type ReactNode } from 'react';
import { ListFoot } from '../../../../shared/ui/list/list-screen.tsx';
import { Badge, Tag } from '../../../../shared/ui/parts/badge.tsx';
import { Glyph } from '../../../../shared/ui/parts/glyphs.tsx';
import { useText } from '../../i18n/use-text.ts';
import type { Severity, Verdict } from '../../rules/rule.ts';
import type { Look } from '../../runs/run-badges.tsx';
import classes from './values/facts.module.css';
import { useSentence } from './values/fact-names.ts';
import type { NamedVerdict } from './values/verdict-keys.ts';

const PAGE = 50;

export const SEVERITY_LOOKS: Readonly<Record<Severity, Look>> = {
  BAD: { tone: 'bad', glyph: 'refused' },
  WARNING: { tone: 'wait', glyph: 'warning' },
  UNKNOWN: { tone: 'neutral', glyph: 'unknown' },
  NOT_MEASURED: { tone: 'neutral', glyph: 'gap' },
  GOOD: { tone: 'good', glyph: 'approved' },
};

export interface VerdictListProps {
  verdicts: readonly NamedVerdict[];
  /** The one that is open. */
  open: string | null;
  onOpen: (key: string | null) => void;
  page: number;
  onPage: (page: number) => void;
  /** A past day is viewed: what is told of current values is marked. */
  isPast: boolean;
  /** Verdicts that the day beside it does not have, and that day; null: none stands beside it. */
  onlyHere: { keys: ReadonlySet<string>; day: string } | null;
  /** The content of an open verdict. */
  renderFacts: (verdict: Verdict) => ReactNode;
}

/** Verdicts worst first; each opens to the facts that it stands on. */
export function VerdictList({
  verdicts,
  open,
  onOpen,
  page,
  onPage,
  isPast,
  onlyHere,
  renderFacts,
}: VerdictListProps): ReactNode {
  const text = useText();
  const sentenceOf = useSentence();
  const openId = useId();
  const pages = Math.ceil(verdicts.length / PAGE);
  const shown = Math.min(page, Math.max(1, pages));
  return (
    <>
      <ul className={classes['verdicts']} aria-label={text('verdicts.list')}>
        {verdicts.slice((shown - 1) * PAGE, shown * PAGE).map(({ key, verdict }) => (
          <li key={key} data-tone={SEVERITY_LOOKS[verdict.severity].tone}>
            <button
              type="button"
              aria-expanded={key === open}
              aria-controls={key === open ? openId : undefined}
              onClick={() => onOpen(key === open ? null : key)}
            >
              <span className={classes['turn']}>
                <Glyph name="chevron" size={10} />
              </span>
              <SeverityBadge severity={verdict.severity} />
              <span className={classes['sentence']}>{sentenceOf(verdict.sentence)}</span>
              {isPast && isOfNow(verdict) && <Tag glyph="waiting">{text('verdicts.current')}</Tag>}
              {onlyHere?.keys.has(key) === true && (
                <Tag tone="info">{text('verdicts.onlyHere', { day: onlyHere.day })}</Tag>
              )}
              <code>{verdict.rule}</code>
            </button>
            {key === open && (
              <div id={openId} className={classes['opened']}>
                {renderFacts(verdict)}
              </div>
            )}
          </li>
        ))}
      </ul>
      <ListFoot count={text('verdicts.count', { total: verdicts.length })} pages={pages} page={shown} onPage={onPage} />
    </>
  );
}

export function SeverityBadge({ severity }: { severity: Severity }): ReactNode {
  const text = useText();
  return <Badge {...SEVERITY_LOOKS[severity]}>{text(`severity.${severity}`)}</Badge>;
}

/** Whether it stands on values of the look, not of the viewed day. */
const isOfNow = ({ facts }: Verdict): boolean => facts.some((pointer) => /^\/(?:boundary|queues)/.test(pointer));
