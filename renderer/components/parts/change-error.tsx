import type { ReactNode } from 'react';
import { isConflict } from '../../../shared/ui/http/request.ts';
import { ChangeFailure } from '../../../shared/ui/session/change-failure.tsx';
import { Glyph } from '../../../shared/ui/parts/glyphs.tsx';
import { NotKnownYetError, NotTakenError } from './lost-response.ts';
import { useText } from '../../i18n/use-text.ts';
import classes from './parts.module.css';

/** While the API is asked for the outcome of a change. */
export const NOT_KNOWN_YET = new NotKnownYetError();

/** Why a change was not made, or that its outcome is unknown; nothing without an error. */
export function ChangeError({ error }: { error: Error | null }): ReactNode {
  const text = useText();
  if (error === null) return null;
  if (error instanceof NotKnownYetError || error instanceof NotTakenError)
    return (
      <p
        className={classes['note']}
        data-tone={error instanceof NotTakenError ? 'info' : 'wait'}
        role={error instanceof NotTakenError ? 'status' : 'alert'}
      >
        <Glyph name="waiting" /> {text(error instanceof NotTakenError ? 'action.notTaken' : 'action.unanswered')}
      </p>
    );
  return (
    <ChangeFailure
      error={error}
      className={classes['note']}
      words={isConflict(error) ? text('change.conflict', { message: error.message }) : undefined}
    />
  );
}
