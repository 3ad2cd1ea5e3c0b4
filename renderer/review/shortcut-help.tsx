import type { ReactNode } from 'react';
import { Dialog } from '../../shared/ui/parts/dialog.tsx';
import { useText } from '../i18n/use-text.ts';
import classes from './review.module.css';
import type { DecisionKey, UndoKey, WalkKey } from './shortcuts.ts';

const ROWS: readonly (readonly [WalkKey | DecisionKey | UndoKey | 'opinion' | 'send' | 'close', readonly string[]])[] =
  [
    ['next', ['J', '↓']],
    ['previous', ['K', '↑']],
    ['scroll-down', ['Space', 'PgDn']],
    ['scroll-up', ['Shift + Space', 'PgUp']],
    ['approve', ['A']],
    ['approve-edited', ['E']],
    ['reject', ['R']],
    ['block', ['B']],
    ['undo', ['U']],
    ['opinion', ['O']],
    ['send', ['Ctrl + Enter']],
    ['close', ['Esc']],
    ['help', ['?']],
  ];

export function ShortcutHelp({ opened, onClose }: { opened: boolean; onClose: () => void }): ReactNode {
  const text = useText();
  return (
    <Dialog opened={opened} title={text('keys.title')} onClose={onClose}>
      <table className={classes['keys']}>
        <tbody>
          {ROWS.map(([key, caps]) => (
            <tr key={key}>
              <td>
                {caps.map((cap) => (
                  <kbd key={cap}>{cap}</kbd>
                ))}
              </td>
              <th scope="row">{text(`keys.${key}`)}</th>
            </tr>
          ))}
        </tbody>
      </table>
      <p className={classes['quiet']}>{text('keys.note')}</p>
    </Dialog>
  );
}
