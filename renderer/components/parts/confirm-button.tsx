import { Button } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { useTakesKeys } from '../../../shared/ui/keys/takes-keys.tsx';
import { useText } from '../../i18n/use-text.ts';
import parts from './parts.module.css';

export interface ConfirmButtonProps {
  label: string;
  /** The label with its subject, for a user who does not see the row. */
  named: string;
  isBusy?: boolean;
  /** Small inside a table; normal size beside other buttons. */
  size?: 'compact-xs' | 'xs';
  /** Whether it ends or removes something, and so asks in red. */
  isDestructive?: boolean;
  onConfirm: () => void;
}

/** Asks for confirmation in place: the second press acts, leaving the button cancels. */
export function ConfirmButton({
  label,
  named,
  isBusy = false,
  size = 'compact-xs',
  isDestructive = true,
  onConfirm,
}: ConfirmButtonProps): ReactNode {
  const text = useText();
  const [isAsked, setIsAsked] = useState(false);
  useTakesKeys('form', isAsked);
  return (
    <Button
      variant={isAsked ? 'filled' : 'default'}
      className={isAsked && isDestructive ? parts['destructive'] : undefined}
      size={size}
      loading={isBusy}
      aria-label={isAsked ? text('confirm.again', { what: named }) : named}
      onBlur={() => setIsAsked(false)}
      onKeyDown={(event) => {
        if (event.key === 'Escape') setIsAsked(false);
      }}
      onClick={(event) => {
        // The second half of a double click must not answer the question that the first has opened.
        if (event.detail > 1) return;
        setIsAsked(!isAsked);
        if (isAsked) onConfirm();
      }}
    >
      {isAsked ? text('confirm.again', { what: label }) : label}
    </Button>
  );
}
