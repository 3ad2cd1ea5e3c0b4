import { Radio, TextInput } from '@mantine/core';
import { useId, type ReactNode } from 'react';
import { isReasonCode, REASON_CODES } from '../domain/reasons.ts';
import { useText } from '../i18n/use-text.ts';
import classes from './actions.module.css';
import type { ActionDraft } from './drafts.ts';

export interface ReasonFieldsProps {
  draft: Pick<ActionDraft, 'code' | 'note'>;
  onChange: (changes: Partial<Pick<ActionDraft, 'code' | 'note'>>) => void;
}

/** A reason from the taxonomy, with free text beside it; OTHER needs the text. */
export function ReasonFields({ draft, onChange }: ReasonFieldsProps): ReactNode {
  const text = useText();
  const name = useId();
  return (
    <>
      <fieldset className={classes['reasons']}>
        <legend>{text('reason.legend')}</legend>
        {REASON_CODES.map((code, index) => (
          <Radio
            key={code}
            name={name}
            value={code}
            label={text(`reason.${code}`)}
            checked={draft.code === code}
            onChange={(event) => {
              const { value } = event.currentTarget;
              if (isReasonCode(value)) onChange({ code: value });
            }}
            {...((draft.code ?? REASON_CODES[0]) === REASON_CODES[index] ? { 'data-first': true } : {})}
          />
        ))}
      </fieldset>
      <TextInput
        label={text(draft.code === 'OTHER' ? 'reason.text.required' : 'reason.text')}
        value={draft.note}
        maxLength={2_000}
        required={draft.code === 'OTHER'}
        withAsterisk={false}
        onChange={(event) => onChange({ note: event.currentTarget.value })}
      />
    </>
  );
}
