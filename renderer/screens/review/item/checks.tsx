import type { ReactNode } from 'react';
import { Tag, type Tone } from '../../../../shared/ui/parts/badge.tsx';
import type { GlyphName } from '../../../../shared/ui/parts/glyphs.tsx';
import { DataTable } from '../../../../shared/ui/table/data-table.tsx';
import type { CheckResult, Verdict } from '../../../../shared/wire/console/console.ts';
import { useText } from '../../../i18n/use-text.ts';
import { useCheckText } from '../../../components/texts/check-text.ts';
import classes from './review.module.css';

const VERDICT_LOOKS: Readonly<Record<Verdict, { tone: Tone; glyph: GlyphName }>> = {
  PASS: { tone: 'good', glyph: 'tick' },
  REVIEW: { tone: 'wait', glyph: 'warning' },
  BLOCK: { tone: 'bad', glyph: 'blocked' },
};

const VERDICTS = ['BLOCK', 'REVIEW', 'PASS'] as const satisfies readonly Verdict[];

export function VerdictTag({ verdict }: { verdict: Verdict }): ReactNode {
  const text = useText();
  return <Tag {...VERDICT_LOOKS[verdict]}>{text(`verdict.${verdict}`)}</Tag>;
}

/** Why an item waits, as one short tag per failed check. */
export function ReasonTags({ reasons }: { reasons: readonly Pick<CheckResult, 'check' | 'verdict'>[] }): ReactNode {
  const text = useText();
  return (
    <>
      {reasons.map(({ check, verdict }) => (
        <Tag key={check} {...VERDICT_LOOKS[verdict]}>
          {text(`check.${check}`)}
        </Tag>
      ))}
    </>
  );
}

/**
 * As above, short for a row of the queue: checks with the same finding share a tag, so that the row keeps its two
 * lines.
 */
export function ReasonsInShort({ reasons }: { reasons: readonly Pick<CheckResult, 'check' | 'verdict'>[] }): ReactNode {
  const text = useText();
  return VERDICTS.map((verdict) => {
    const alike = reasons.filter((reason) => reason.verdict === verdict);
    if (alike.length === 0) return null;
    return (
      <Tag key={verdict} {...VERDICT_LOOKS[verdict]}>
        {alike.map(({ check }) => text(alike.length === 1 ? `check.${check}` : `check.${check}.short`)).join(' · ')}
      </Tag>
    );
  });
}

/** Every check of the last screening in order, passed ones too. None: a v2 text, which is not screened (D14). */
export function CheckTable({ checks }: { checks: readonly CheckResult[] }): ReactNode {
  const text = useText();
  const sayCheck = useCheckText();
  if (checks.length === 0) return <p className={classes['quiet']}>{text('checks.none')}</p>;
  const [first] = checks;
  return (
    <>
      <DataTable
        label={text('review.checks')}
        rows={checks}
        idOf={({ check }) => check}
        isDense
        columns={[
          { id: 'check', head: text('checks.check'), kind: 'name', render: ({ check }) => text(`check.${check}`) },
          {
            id: 'verdict',
            head: text('checks.verdict'),
            render: ({ verdict }) => <VerdictTag verdict={verdict} />,
          },
          { id: 'message', head: text('checks.message'), render: sayCheck },
        ]}
      />
      {first !== undefined && (
        <p className={classes['quiet']}>
          {first.policyVersion === null
            ? text('policy.none')
            : text('policy.version', { version: first.policyVersion })}{' '}
          · {text('checks.matcher', { version: first.matcherVersion })}
        </p>
      )}
    </>
  );
}
