/** Fields that the forms of the policy share. */
import { NativeSelect } from '@mantine/core';
import type { ReactNode } from 'react';
import { Glyph } from '../../shared/ui/parts/glyphs.tsx';
import { SEVERITIES } from '../../shared/wire/console.ts';
import { useText } from '../i18n/use-text.ts';
import parts from '../parts/parts.module.css';
import type { ListProblem } from './exceptions.ts';

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

/** Which expression of which field breaks which rule. */
export function ListProblems({ field, problems }: { field: string; problems: readonly ListProblem[] }): ReactNode {
  const text = useText();
  return problems.map(({ kind, text: expression }) => (
    <p key={`${kind} ${expression}`} className={parts['note']} data-tone="bad" role="alert">
      <Glyph name="warning" /> {text(`policy.list.problem.${kind}`, { field, expression })}
    </p>
  ));
}
