import { Button, Checkbox } from '@mantine/core';
import { memo, useEffect, useEffectEvent, useState, type ReactNode } from 'react';
import { Dialog } from '../../../shared/ui/parts/dialog.tsx';
import { useSwitch } from '../../../shared/ui/theme/preferences.ts';
import { useText } from '../../i18n/use-text.ts';
import classes from './item/review.module.css';
import { STANDARD_KEYS, type ChosenKey, type WalkKey } from './item/shortcuts.ts';
import { useKeys, type KeyRefusal } from './item/use-keys.ts';

type Row = Exclude<WalkKey, 'extend-next' | 'extend-previous'> | ChosenKey | FixedRow;
type FixedRow = 'extend' | 'reason' | 'finding' | 'send' | 'close' | 'palette' | 'search' | 'fold';

/** Each action with its fixed keys, beside the chosen one. */
const ROWS: readonly (readonly [Row, readonly string[]])[] = [
  ['next', ['↓']],
  ['previous', ['↑']],
  ['tick', []],
  ['extend', ['Shift + ↓', 'Shift + ↑']],
  ['scroll-down', ['Space', 'PgDn']],
  ['scroll-up', ['Shift + Space', 'PgUp']],
  ['approve', []],
  ['approve-edited', []],
  ['reject', []],
  ['block', []],
  ['undo', []],
  ['opinion', []],
  ['later', []],
  ['hand-over', []],
  ['reason', ['1 – 9']],
  ['finding', ['F8']],
  ['send', ['Ctrl + Enter']],
  ['close', ['Esc']],
  ['go', []],
  ['search', ['/']],
  ['fold', ['[']],
  ['palette', ['Ctrl + K']],
  ['help', ['?']],
];

const MODIFIERS = new Set(['Shift', 'Control', 'Alt', 'Meta', 'AltGraph', 'CapsLock', 'HangulMode', 'HanjaMode']);

interface KeysDialogProps {
  opened: boolean;
  onClose: () => void;
}

export const KeysDialog = memo(function KeysDialog({ opened, onClose }: KeysDialogProps): ReactNode {
  const text = useText();
  const [asked, setAsked] = useState<ChosenKey | null>(null);
  return (
    <Dialog opened={opened} title={text('keys.title')} closesOnEscape={asked === null} onClose={onClose}>
      <KeyTable asked={asked} onAsk={setAsked} />
    </Dialog>
  );
});

/** The keys and their actions; an action with a choosable key takes the next pressed key. */
function KeyTable({
  asked,
  onAsk: setAsked,
}: {
  /** The action whose key is being chosen. */
  asked: ChosenKey | null;
  onAsk: (action: ChosenKey | null) => void;
}): ReactNode {
  const text = useText();
  const keys = useKeys();
  const [isOn, setIsOn] = useSwitch('shortcuts');
  const [refusal, setRefusal] = useState<KeyRefusal | null>(null);
  const onKeyDown = useEffectEvent((event: KeyboardEvent) => {
    if (asked === null || event.isComposing || MODIFIERS.has(event.key)) return;
    if (event.ctrlKey || event.altKey || event.metaKey || event.key === 'Tab') return setAsked(null);
    event.preventDefault();
    event.stopPropagation();
    if (event.repeat) return;
    const refused = event.key === 'Escape' ? null : keys.choose(asked, event.code);
    setRefusal(refused);
    if (refused === null) setAsked(null);
  });
  const isAsked = asked !== null;
  useEffect(() => {
    if (!isAsked) return;
    window.addEventListener('keydown', onKeyDown, { capture: true });
    return () => window.removeEventListener('keydown', onKeyDown, { capture: true });
  }, [isAsked]);
  return (
    <>
      <Checkbox label={text('display.shortcuts.on')} checked={isOn} onChange={() => setIsOn(!isOn)} />
      <table className={classes['keys']}>
        <tbody>
          {ROWS.map(([key, fixed]) => {
            const chosen = isChosen(key) ? key : null;
            const name = text(`keys.${key}`);
            return (
              <tr key={key}>
                <td>
                  {chosen !== null && <kbd>{keys.capOf(chosen)}</kbd>}
                  {fixed.map((cap) => (
                    <kbd key={cap}>{cap}</kbd>
                  ))}
                </td>
                <th scope="row">{name}</th>
                <td>
                  {chosen !== null && (
                    <Button
                      variant={asked === chosen ? 'filled' : 'default'}
                      size="compact-xs"
                      aria-label={text('keys.changeNamed', { action: name })}
                      aria-pressed={asked === chosen}
                      onBlur={() => setAsked(null)}
                      onClick={() => {
                        setAsked(asked === chosen ? null : chosen);
                        setRefusal(null);
                      }}
                    >
                      {text('keys.change')}
                    </Button>
                  )}
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
      <p role="status" className={classes['asked']}>
        {refusal !== null
          ? refusal.why === 'unfit'
            ? text('keys.unfit')
            : text('keys.taken', { key: refusal.cap, action: text(`keys.${refusal.by}`) })
          : asked !== null && text('keys.press', { action: text(`keys.${asked}`) })}
      </p>
      <p className={classes['quiet']}>{text('keys.note')}</p>
      {!keys.isStandard && (
        <Button variant="default" size="compact-sm" onClick={keys.reset}>
          {text('keys.reset')}
        </Button>
      )}
    </>
  );
}

function isChosen(key: string): key is ChosenKey {
  return Object.hasOwn(STANDARD_KEYS, key);
}
