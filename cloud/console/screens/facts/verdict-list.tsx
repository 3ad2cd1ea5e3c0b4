import { useId, type ReactNode } from 'react';
import { ListFoot } from '../../../../shared/ui/list/list-screen.tsx';
import { Tag } from '../../../../shared/ui/parts/badge.tsx';
import { Glyph } from '../../../../shared/ui/parts/glyphs.tsx';
import { useText } from '../../i18n/use-text.ts';
import { CsvButton } from '../../lists/csv-button.tsx';
import type { Verdict } from '../../rules/rule.ts';
import { SEVERITY_LOOKS, SeverityBadge } from '../../verdicts/severity-badge.tsx';
import classes from './values/facts.module.css';
import { useRuleName, useSentence } from './values/fact-names.ts';
import { VerdictLinks } from '../../verdicts/verdict-links.tsx';
import { pageOf } from './paging.ts';
import { isOfNow } from './values/axes.ts';
import { groupVerdicts } from './values/verdict-groups.ts';
import type { NamedVerdict } from './values/verdict-keys.ts';

const PAGE = 50;

export interface VerdictListProps {
  verdicts: readonly NamedVerdict[];
  /** The open verdict. */
  open: string | null;
  onOpen: (key: string | null) => void;
  page: number;
  onPage: (page: number) => void;
  /** The day of the facts. */
  date: string;
  /** A past day is viewed: current values are marked. */
  isPast: boolean;
  /** Verdicts that the comparison day lacks, and that day; null without a comparison. */
  onlyHere: { keys: ReadonlySet<string>; day: string } | null;
  /** The content of an open verdict. */
  renderFacts: (verdict: Verdict) => ReactNode;
}

/** Verdicts worst first; each opens to the facts behind it. */
export function VerdictList({
  verdicts,
  open,
  onOpen,
  page,
  onPage,
  date,
  isPast,
  onlyHere,
  renderFacts,
}: VerdictListProps): ReactNode {
  const text = useText();
  const sentenceOf = useSentence();
  const ruleOf = useRuleName();
  const openId = useId();
  const groups = groupVerdicts(verdicts);
  const { items, page: shown } = pageOf(groups, page, PAGE);
  const itemOf = ({ key, verdict }: NamedVerdict): ReactNode => (
    <li key={key} data-tone={SEVERITY_LOOKS[verdict.severity].tone}>
      <button
        type="button"
        aria-expanded={key === open}
        aria-controls={key === open ? openId : undefined}
        onClick={() => onOpen(key === open ? null : key)}
      >
        <Turn />
        <SeverityBadge severity={verdict.severity} />
        <span className={classes['sentence']}>{sentenceOf(verdict.sentence)}</span>
        {isPast && isOfNow(verdict.facts) && <Tag glyph="waiting">{text('verdicts.current')}</Tag>}
        {onlyHere?.keys.has(key) === true && <Tag tone="info">{text('verdicts.onlyHere', { day: onlyHere.day })}</Tag>}
        <span className={classes['rule']}>{ruleOf(verdict.rule)}</span>
      </button>
      <VerdictLinks verdicts={[verdict]} date={date} />
      {key === open && (
        <div id={openId} className={classes['opened']}>
          {renderFacts(verdict)}
        </div>
      )}
    </li>
  );
  return (
    <>
      <ul className={classes['verdicts']} aria-label={text('verdicts.list')}>
        {items.map((group) => {
          const { key, first, members } = group;
          if (members.length === 1) return itemOf(first);
          const isOpen = key === open || members.some((one) => one.key === open);
          return (
            <li key={key} data-tone={SEVERITY_LOOKS[first.verdict.severity].tone}>
              <button type="button" aria-expanded={isOpen} onClick={() => onOpen(isOpen ? null : key)}>
                <Turn />
                <SeverityBadge severity={first.verdict.severity} />
                <span className={classes['sentence']}>{sentenceOf(first.verdict.sentence)}</span>
                <Tag tone="info">{text('verdicts.group', { count: members.length })}</Tag>
                {isPast && isOfNow(first.verdict.facts) && <Tag glyph="waiting">{text('verdicts.current')}</Tag>}
                <span className={classes['rule']}>{ruleOf(first.verdict.rule)}</span>
              </button>
              <VerdictLinks verdicts={members.map(({ verdict }) => verdict)} date={date} />
              {isOpen && <ul className={classes['verdicts']}>{members.map(itemOf)}</ul>}
            </li>
          );
        })}
      </ul>
      <ListFoot
        count={text('verdicts.count', { total: verdicts.length, lines: groups.length })}
        tools={
          <CsvButton
            name={`verdicts-${date}`}
            rows={verdicts.map(({ verdict }) => verdict)}
            columns={[
              [text('verdicts.csv.severity'), ({ severity }) => text(`severity.${severity}`)],
              [text('verdicts.csv.sentence'), ({ sentence }) => sentenceOf(sentence)],
              [text('verdicts.csv.rule'), ({ rule }) => ruleOf(rule)],
              [text('report.version'), ({ version }) => version],
            ]}
          />
        }
        pages={Math.ceil(groups.length / PAGE)}
        page={shown}
        onPage={onPage}
      />
    </>
  );
}

function Turn(): ReactNode {
  return (
    <span className={classes['turn']}>
      <Glyph name="chevron" size={10} />
    </span>
  );
}
