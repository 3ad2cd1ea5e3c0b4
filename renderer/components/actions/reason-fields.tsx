import { Button, Radio, TextInput } from '@mantine/core';
import { useId, useRef, useState, type ReactNode } from 'react';
import type { ReasonCode } from '../../../shared/wire/console/console.ts';
import { isReasonCode, reasonsOffered, type ReasonedAction } from '../domain/reasons.ts';
import { useText } from '../../i18n/use-text.ts';
import classes from './actions.module.css';
import type { ActionDraft } from './actions.ts';
import { useReasonDigits } from '../parts/use-reason-digits.ts';
import { useDigits } from './use-digits.ts';

export interface ReasonFieldsProps {
  /** The action that needs the reason: each action has its own list. */
  action: ReasonedAction;
  draft: Pick<ActionDraft, 'code' | 'note'>;
  /** The preselected reason, until the user chooses one. */
  suggested?: ReasonCode | null;
  onChange: (changes: Partial<Pick<ActionDraft, 'code' | 'note'>>) => void;
}

/** A reason from the taxonomy, with free text beside it; OTHER needs the text. The keys 1 to 9 choose one. */
export function ReasonFields({ action, draft, suggested = null, onChange }: ReasonFieldsProps): ReactNode {
  const text = useText();
  const name = useId();
  const fieldset = useRef<HTMLFieldSetElement>(null);
  const note = useRef<HTMLInputElement>(null);
  /** The offered reason that was chosen when all reasons were expanded: it keeps its place after a further choice. */
  const [before, setBefore] = useState<readonly (ReasonCode | null)[] | null>(null);
  const chosen = draft.code ?? suggested;
  const ofFirm = useReasonDigits();
  const { offered, more } = reasonsOffered(action, before ?? [draft.code, suggested], before !== null, ofFirm);

  /** Chooses by key. A reason that needs text gets the focus for it. */
  const choose = (code: ReasonCode): void => {
    onChange({ code });
    const field = code === 'OTHER' ? note.current : fieldset.current?.querySelector<HTMLElement>(`[value=${code}]`);
    field?.focus();
  };
  // Where the firm chooses the digits, a reason that it leaves out has none.
  const digitOf = useDigits(ofFirm ?? offered, fieldset, choose);

  return (
    <>
      <fieldset ref={fieldset} className={classes['reasons']} data-digits>
        <legend>{text('reason.legend')}</legend>
        {offered.map((code, index) => {
          const digit = digitOf(index);
          return (
            <Radio
              key={code}
              name={name}
              value={code}
              label={
                <>
                  {digit !== null && <kbd aria-hidden="true">{digit}</kbd>} {text(`reason.${code}`)}
                  {code === suggested && <span className={classes['suggested']}> {text('reason.suggested')}</span>}
                </>
              }
              aria-keyshortcuts={digit ?? undefined}
              checked={chosen === code}
              onChange={(event) => {
                const { value } = event.currentTarget;
                if (isReasonCode(value)) onChange({ code: value });
              }}
              {...(chosen !== 'OTHER' && code === (chosen ?? offered[0]) ? { 'data-first': true } : {})}
            />
          );
        })}
        {more > 0 && (
          <Button
            className={classes['more']}
            variant="subtle"
            color="gray"
            size="compact-xs"
            onClick={() => {
              // The button disappears; the focus stays among the reasons.
              const place = fieldset.current;
              (place?.querySelector<HTMLInputElement>('input:checked') ?? place?.querySelector('input'))?.focus();
              setBefore([draft.code, suggested]);
            }}
          >
            {text('reason.more', { count: more })}
          </Button>
        )}
      </fieldset>
      <TextInput
        ref={note}
        label={text(chosen === 'OTHER' ? 'reason.text.required' : 'reason.text')}
        value={draft.note}
        maxLength={2_000}
        required={chosen === 'OTHER'}
        withAsterisk={false}
        {...(chosen === 'OTHER' ? { 'data-first': true } : {})}
        onChange={(event) => onChange({ note: event.currentTarget.value })}
      />
    </>
  );
}
