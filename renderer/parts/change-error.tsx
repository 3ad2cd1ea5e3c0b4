import type { ReactNode } from 'react';
import { isConflict } from '../../shared/ui/http/request.ts';
import { useErrorText } from '../../shared/ui/parts/data-state.tsx';
import { Glyph } from '../../shared/ui/parts/glyphs.tsx';
import { useText } from '../i18n/use-text.ts';
import classes from './parts.module.css';

/** Why a change was not made; nothing where there is no error. */
export function ChangeError({ error }: { error: Error | null }): ReactNode {
  const text = useText();
  const describe = useErrorText();
  if (error === null) return null;
  return (
    <p className={classes['note']} data-tone="bad" role="alert">
      <Glyph name="warning" />{' '}
      {isConflict(error) ? text('change.conflict', { message: error.message }) : describe(error)}
    </p>
  );
}
