import { Button, Radio, TextInput } from '@mantine/core';
import { useEffect, useEffectEvent, useId, useRef, useState, type ReactNode } from 'react';
import { isTyping } from '../../shared/ui/keys/shortcuts.ts';
import { useSwitch } from '../../shared/ui/preferences.ts';
import type { ReasonCode } from '../../shared/wire/console.ts';
import { isReasonCode, reasonsOffered, type ReasonedAction } from '../domain/reasons.ts';
import { useText } from '../i18n/use-text.ts';
import classes from './actions.module.css';
import type { ActionDraft } from './drafts.ts';

export interface ReasonFieldsProps {
  /** What the reason is for: each action has reasons that fit it. */
  action: ReasonedAction;
  draft: Pick<ActionDraft, 'code' | 'note'>;
  /** What the form begins with, until a person has chosen. */
  suggested?: ReasonCode | null;
  onChange: (changes: Partial<Pick<ActionDraft, 'code' | 'note'>>) => void;
}

/** Reasons beyond the ninth have no key. */
const KEYED = 9;

/** A reason from the taxonomy, with free text beside it; OTHER needs the text. The keys 1 to 9 choose one. */
export function ReasonFields({ action, draft, suggested = null, onChange }: ReasonFieldsProps): ReactNode {
  const text = useText();
  const name = useId();
  const fieldset = useRef<HTMLFieldSetElement>(null);
  const note = useRef<HTMLInputElement>(null);
  const [shortcuts] = useSwitch('shortcuts');
  const [hasAll, setHasAll] = useState(false);
  const chosen = draft.code ?? suggested;
  const { offered, more } = reasonsOffered(action, [draft.code, suggested], hasAll);

  /** By its key. What needs words gets the focus for them. */
  const choose = (code: ReasonCode): void => {
    onChange({ code });
    const field = code === 'OTHER' ? note.current : fieldset.current?.querySelector<HTMLElement>(`[value=${code}]`);
    field?.focus();
  };
  const onKeyDown = useEffectEvent((event: KeyboardEvent) => {
    const number = /^(?:Digit|Numpad)([1-9])$/.exec(event.code)?.[1];
    const code = number === undefined ? undefined : offered[Number(number) - 1];
    if (code === undefined || !isMeant(event, fieldset.current)) return;
    event.preventDefault();
    choose(code);
  });
  useEffect(() => {
    if (!shortcuts) return;
    window.addEventListener('keydown', onKeyDown);
    return () => window.removeEventListener('keydown', onKeyDown);
  }, [shortcuts]);

  return (
    <>
      <fieldset ref={fieldset} className={classes['reasons']}>
        <legend>{text('reason.legend')}</legend>
        {offered.map((code, index) => {
          const number = shortcuts && index < KEYED ? String(index + 1) : null;
          return (
            <Radio
              key={code}
              name={name}
              value={code}
              label={
                <>
                  {number !== null && <kbd aria-hidden="true">{number}</kbd>} {text(`reason.${code}`)}
                  {code === suggested && <span className={classes['suggested']}> {text('reason.suggested')}</span>}
                </>
              }
              aria-keyshortcuts={number ?? undefined}
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
          <Button variant="subtle" color="gray" size="compact-xs" onClick={() => setHasAll(true)}>
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

/** Whether a digit is meant for the reasons: not while it goes into a text, and not while something stands over them. */
function isMeant(event: KeyboardEvent, reasons: HTMLElement | null): boolean {
  if (event.defaultPrevented || event.isComposing || event.repeat) return false;
  if (event.ctrlKey || event.altKey || event.metaKey || event.shiftKey) return false;
  const focused = document.activeElement instanceof HTMLElement ? document.activeElement : null;
  if (isTyping(focused)) return false;
  const over = focused?.closest('[role=dialog], [role=menu], [role=listbox]') ?? null;
  return over === null || over.contains(reasons);
}
