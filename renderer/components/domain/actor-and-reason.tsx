import type { ReactNode } from 'react';
import { useText } from '../../i18n/use-text.ts';
import { readReason } from './reasons.ts';

/** The actor: a person by name, or the program itself. */
export function Actor({ actor }: { actor: string }): ReactNode {
  const text = useText();
  return <span>{actor === 'SYSTEM' ? text('actor.system') : actor}</span>;
}

/** A reason in the screen's language; its free text as written. */
export function ReasonText({ reason }: { reason: string }): ReactNode {
  const text = useText();
  const { code, text: free } = readReason(reason);
  if (code === null) return <span lang="ko">{free}</span>;
  return (
    <span>
      {text(`reason.${code}`)}
      {free !== '' && `: ${free}`}
    </span>
  );
}
