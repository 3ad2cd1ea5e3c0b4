import { useId, useState, type ReactNode } from 'react';
import { Link } from 'wouter';
import type { MeasuredTimes, ReviewFigures, ReviewStatistics } from '../../../shared/wire/console/console.ts';
import { BarChart } from '../../components/charts/bar-chart.tsx';
import looks from '../dashboard/dashboard.module.css';
import { EVEN } from '../../../shared/ui/parts/tiles.tsx';
import { useText, type MessageId } from '../../i18n/use-text.ts';
import { auditHref, type AuditSubject } from '../settings/audit-filter.ts';
import { blindHref } from '../../components/domain/blind-address.ts';
import { Rate, SpanValue, useSpanText } from './use-words.tsx';

/** Anchor of the list of reversals. */
export const REVERSALS = 'quality-reversals';
const DAYS_PER_LABEL = 7;

/** The kinds of decision, each with its list in the audit log. */
export const DECIDED = [
  { kind: 'approved', move: 'approve', subject: 'explanation.approve' },
  { kind: 'approvedEdited', move: 'approve-edited', subject: 'explanation.approve-edited' },
  { kind: 'rejected', move: 'reject', subject: 'explanation.reject' },
  { kind: 'blocked', move: 'block', subject: 'explanation.block' },
] as const satisfies readonly { kind: keyof ReviewFigures['decided']; move: string; subject: AuditSubject }[];

export function decidedInAll({ decided }: Pick<ReviewFigures, 'decided'>): number {
  return decided.approved + decided.approvedEdited + decided.rejected + decided.blocked;
}

/** The figures of the whole span, each with its definition and a link to its list; and the decisions day by day. */
export function MainFigures({ statistics }: { statistics: ReviewStatistics }): ReactNode {
  const text = useText();
  const { total, days, samples, blockSamples, blind, from, to } = statistics;
  const { decided, automatic } = total;
  const decisions = decidedInAll(total);
  const out = automatic.provided + decided.approved + decided.approvedEdited;
  const rate = (n: number, of: number): string => text('quality.rate', { n, of });
  return (
    <>
      <div data-tiles className={`${EVEN} ${looks['tiles']}`} role="group" aria-label={text('quality.numbers')}>
        <Figure name="quality.decided" value={decisions.toLocaleString('en-US')} />
        {DECIDED.map(({ kind, move, subject }) => (
          <Link key={kind} href={auditHref({ subject, from, to })} className={looks['tile'] ?? ''}>
            <span className={looks['tileName']}>{text(`move.${move}`)}</span>
            <span className={looks['number']}>{decided[kind].toLocaleString('en-US')}</span>
            <span className={looks['share']}>{rate(decided[kind], decisions)}</span>
          </Link>
        ))}
        <TimeFigure name="quality.waiting" times={total.waiting} />
        <TimeFigure name="quality.handling" times={total.handling} />
        <Figure
          name="quality.reversed"
          href={`#${REVERSALS}`}
          value={<Rate n={total.reversed} of={decisions} />}
          note={rate(total.reversed, decisions)}
        />
        <Figure
          name="quality.automatic"
          value={automatic.provided.toLocaleString('en-US')}
          note={text('quality.automatic.share', { of: out })}
        />
        <Figure
          name="quality.automaticReversed"
          href={`#${REVERSALS}`}
          value={<Rate n={automatic.reversed} of={automatic.provided} />}
          note={rate(automatic.reversed, automatic.provided)}
        />
        <Figure
          name="quality.unblocked"
          href={`#${REVERSALS}`}
          value={<Rate n={automatic.unblocked} of={automatic.blocked} />}
          note={rate(automatic.unblocked, automatic.blocked)}
        />
        <SampleFigure name="quality.samples" counts={samples} />
        <SampleFigure name="quality.blockSamples" counts={blockSamples} />
        <Figure
          name="quality.agreement"
          to={blindHref({ state: 'DIFFERED' })}
          value={<Rate n={blind.agreed} of={blind.agreed + blind.differed} />}
          note={rate(blind.agreed, blind.agreed + blind.differed)}
          more={text('quality.agreement.left', {
            open: blind.open,
            overtaken: blind.overtaken,
            notBlind: blind.notBlind,
          })}
        />
      </div>
      <BarChart
        label={text('quality.chart', { total: decisions, reversed: total.reversed })}
        bars={days.map((day, index) => ({
          key: day.day,
          label: index % DAYS_PER_LABEL === 0 ? day.day.slice(5) : null,
          count: decidedInAll(day),
          part: day.reversed,
        }))}
      >
        {text('quality.legend')}
      </BarChart>
    </>
  );
}

/** The share of the looked-at samples that a person should have judged. */
function SampleFigure({ name, counts }: { name: Defined; counts: ReviewStatistics['samples'] }): ReactNode {
  const text = useText();
  const missed = counts.MISSED + counts.ACTED;
  const seen = counts.FINE + missed;
  return (
    <Figure
      name={name}
      to="/samples?outcome=MISSED"
      value={<Rate n={missed} of={seen} />}
      note={text('quality.rate', { n: missed, of: seen })}
    />
  );
}

/** A name with a definition beside it. */
type Defined = Extract<MessageId, `${string}.is`> extends `${infer Name}.is` ? Name & MessageId : never;

interface FigureProps {
  name: Defined;
  value: ReactNode;
  /** One line: the base of the figure, or its distribution. */
  note?: string;
  /** Further parts of the definition: how much was measured, what was left out. */
  more?: string;
  /** Link to its list, on this screen or another. */
  href?: string;
  to?: string;
}

/** One figure with its name and base; its exact definition is behind a button. */
function Figure({ name, value, note, more, href, to }: FigureProps): ReactNode {
  const text = useText();
  const id = useId();
  const [isDefined, setIsDefined] = useState(false);
  return (
    <div className={looks['tile']}>
      <span className={looks['tileHead']}>
        <span className={looks['tileName']}>
          {to !== undefined ? (
            <Link href={to}>{text(name)}</Link>
          ) : href !== undefined ? (
            <a href={href}>{text(name)}</a>
          ) : (
            text(name)
          )}
        </span>
        <button
          type="button"
          className={looks['define']}
          aria-label={text('quality.define', { name: text(name) })}
          aria-expanded={isDefined}
          aria-controls={id}
          onClick={() => setIsDefined(!isDefined)}
        >
          ?
        </button>
      </span>
      <span className={looks['number']}>{value}</span>
      {note !== undefined && <span className={looks['share']}>{note}</span>}
      <span id={id} className={looks['definition']} hidden={!isDefined}>
        {text(`${name}.is`)} {more}
      </span>
    </div>
  );
}

function TimeFigure({ name, times }: { name: Defined; times: MeasuredTimes }): ReactNode {
  const text = useText();
  const say = useSpanText();
  const measured = text('quality.measured', { count: times.measured });
  return (
    <Figure
      name={name}
      value={<SpanValue ms={times.medianMs} />}
      {...(times.p90Ms === null
        ? { note: measured }
        : { note: text('quality.p90', { span: say(times.p90Ms) }), more: `${measured}.` })}
    />
  );
}
