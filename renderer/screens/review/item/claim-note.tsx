import type { ReactNode } from 'react';
import { Tag } from '../../../../shared/ui/parts/badge.tsx';
import type { ReviewClaim } from '../../../../shared/wire/console/console.ts';
import { useText } from '../../../i18n/use-text.ts';

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
