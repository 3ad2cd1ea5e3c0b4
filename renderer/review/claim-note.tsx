import type { ReactNode } from 'react';
import { Tag } from '../../shared/ui/parts/badge.tsx';
import type { ReviewClaim } from '../../shared/wire/console.ts';
import { useText } from '../i18n/use-text.ts';

/** Who else is looking at an item; nothing where nobody is, or I am. */
export function ClaimNote({ claim }: { claim: ReviewClaim | null }): ReactNode {
  const text = useText();
  if (claim === null || claim.mine) return null;
  return (
    <Tag tone="info" glyph="eye">
      {text('claim.other', { name: claim.displayName })}
    </Tag>
  );
}
