import type { ReactNode } from 'react';
import { VisuallyHidden } from '@mantine/core';
import { Tag } from '../../../../shared/ui/parts/badge.tsx';
import { Glyph } from '../../../../shared/ui/parts/glyphs.tsx';
import type { ReviewClaim } from '../../../../shared/wire/console/console.ts';
import { useText } from '../../../i18n/use-text.ts';
import classes from './review.module.css';

/** Other users with a claim on an item; nothing without any. */
export function ClaimNote({ claims }: { claims: readonly ReviewClaim[] }): ReactNode {
  const text = useText();
  const others = claims.filter(({ mine }) => !mine);
  if (others.length === 0) return null;
  const names = others.map(({ displayName }) => displayName).join(', ');
  return (
    <Tag tone="info" glyph="eye">
      {text('claim.others', { names })}
    </Tag>
  );
}

/** The same in a row of the queue: a sign, with the names on demand. */
export function Presence({ claims }: { claims: readonly ReviewClaim[] }): ReactNode {
  const text = useText();
  const others = claims.filter(({ mine }) => !mine);
  if (others.length === 0) return null;
  const words = text('claim.others', { names: others.map(({ displayName }) => displayName).join(', ') });
  return (
    <span className={classes['presence']} data-tone="info" title={words}>
      <Glyph name="eye" />
      <VisuallyHidden>{words}</VisuallyHidden>
    </span>
  );
}
