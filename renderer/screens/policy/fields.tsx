/** Fields that the forms of the policy share. */
import { Button, NativeSelect } from '@mantine/core';
import { useEffect, useRef, type ReactNode } from 'react';
import { Glyph } from '../../../shared/ui/parts/glyphs.tsx';
import { SEVERITIES } from '../../../shared/wire/console/console.ts';
import { useText } from '../../i18n/use-text.ts';
import parts from '../../components/parts/parts.module.css';
import type { ListProblem } from './exceptions.ts';
import classes from './policy.module.css';

type Severity = (typeof SEVERITIES)[number];

export function SeveritySelect({
  label,
  value,
  onChange,
}: {
  label: string;
  value: Severity;
  onChange: (severity: Severity) => void;
}): ReactNode {
  const text = useText();
  return (
    <NativeSelect
      label={label}
      value={value}
      data={SEVERITIES.toReversed().map((one) => ({ value: one, label: text(`severity.${one}`) }))}
      onChange={(event) => onChange(event.currentTarget.value === 'BLOCK' ? 'BLOCK' : 'REVIEW')}
    />
  );
}

/** Lists each invalid expression of a field with the rule that it breaks. */
export function ListProblems({ field, problems }: { field: string; problems: readonly ListProblem[] }): ReactNode {
  const text = useText();
  return problems.map(({ kind, text: expression }) => (
    <p key={`${kind} ${expression}`} className={parts['note']} data-tone="bad" role="alert">
      <Glyph name="warning" /> {text(`policy.list.problem.${kind}`, { field, expression })}
    </p>
  ));
}

export interface RuleFormProps {
  label: string;
  /** The rule being changed, whose first empty field takes the focus; null for a new one. */
  changedId: string | null;
  onPreview: () => void;
  /** Stops changing the rule and starts a new one. */
  onLetGo: () => void;
  children: ReactNode;
}

/** Registers or changes a rule of the policy, with a preview beside it. */
export function RuleForm({ label, changedId, onPreview, onLetGo, children }: RuleFormProps): ReactNode {
  const text = useText();
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (changedId === null) return;
    form.current?.scrollIntoView({ block: 'nearest' });
    form.current?.querySelector<HTMLElement>('input:not([readonly]), select')?.focus();
  }, [changedId]);
  return (
    <form
      ref={form}
      className={classes['ruleForm']}
      aria-label={label}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        onPreview();
      }}
    >
      <h3>{label}</h3>
      {children}
      <div className={parts['buttons']}>
        <Button type="submit">{text('policy.toPreview')}</Button>
        {changedId !== null && (
          <Button variant="default" onClick={onLetGo}>
            {text('policy.cancel')}
          </Button>
        )}
      </div>
    </form>
  );
}
