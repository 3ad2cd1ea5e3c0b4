import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { useSwitch } from '../../../../shared/ui/theme/preferences.ts';
import { useMay } from '../../../api/session-context.ts';
import { useText } from '../../../i18n/use-text.ts';
import classes from './review.module.css';
import type { ChosenKey } from './shortcuts.ts';
import { useKeys } from './use-keys.ts';

const FIRST = ['next', 'approve', 'approve-edited', 'reject', 'help'] as const;

/**
 * The five keys to begin with, above the item until a person in this browser has put them away (D231). A part of the text, so
 * that it takes neither focus nor a key.
 */
export function FirstKeys(): ReactNode {
  const text = useText();
  const { isOn, capOf } = useKeys();
  const [isShown, setIsShown] = useSwitch('first-keys');
  const may = useMay();
  if (!isShown || !isOn || !may('review.decide')) return null;
  const cap = (key: (typeof FIRST)[number]): string => (key === 'help' ? '?' : capOf(key satisfies ChosenKey));
  return (
    <aside className={classes['firstKeys']} aria-label={text('keys.first')} data-first-keys>
      <strong>{text('keys.first')}</strong>
      {FIRST.map((key) => (
        <span key={key}>
          <kbd>{cap(key)}</kbd> {text(`keys.first.${key}`)}
        </span>
      ))}
      <Button variant="subtle" color="gray" size="compact-xs" onClick={() => setIsShown(false)}>
        {text('keys.first.hide')}
      </Button>
    </aside>
  );
}
