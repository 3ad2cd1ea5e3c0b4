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

/** The same on demand: how many passed, and how many a reviewer looks at. */
export function FoldedChecks({ checks }: { checks: readonly CheckResult[] }): ReactNode {
  const text = useText();
  if (checks.length === 0) return <CheckTable checks={checks} />;
  const passed = checks.filter(({ verdict }) => verdict === 'PASS').length;
  return (
    <details className={classes['fold']}>
      <summary>{text('checks.folded', { passed, look: checks.length - passed })}</summary>
      <CheckTable checks={checks} />
    </details>
  );
}
