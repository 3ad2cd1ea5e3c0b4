import { Button, CloseButton } from '@mantine/core';
import type { ReactNode } from 'react';
import { EmptyState } from '../../../shared/ui/parts/data-state.tsx';
import { Glyph } from '../../../shared/ui/parts/glyphs.tsx';
import { ApiProblem } from '../../../shared/ui/http/request.ts';
import { useSharedText } from '../../../shared/ui/i18n/use-text.ts';
import { useText } from '../i18n/use-text.ts';
import classes from './facts.module.css';

/** The server has refused the day: no day, or one to come. */
export const isWrongDate = (error: unknown): boolean => error instanceof ApiProblem && error.code === 'FACTS4001';

export function WrongDate({ date, onLatest }: { date: string; onLatest: () => void }): ReactNode {
  const text = useText();
  return (
    <div role="alert">
      <EmptyState title={text('facts.wrongDate', { date })}>
        <p>{text('facts.wrongDate.why')}</p>
        <Button variant="default" onClick={onLatest}>
          {text('facts.latest')}
        </Button>
      </EmptyState>
    </div>
  );
}

/** The address names a file that this page has not opened. */
export function MissingFile({ name }: { name: string }): ReactNode {
  const text = useText();
  return <EmptyState title={text('facts.replay.missing', { name })} />;
}

/** A file that could not be opened; what was in view stays. */
export function Alert({ children, onClose }: { children: ReactNode; onClose: () => void }): ReactNode {
  const text = useSharedText();
  return (
    <div className={classes['alert']} data-tone="bad" role="alert">
      <Glyph name="warning" />
      <span>{children}</span>
      <CloseButton size="xs" aria-label={text('notice.close')} onClick={onClose} />
    </div>
  );
}
