import { VisuallyHidden } from '@mantine/core';
import type { ReactNode } from 'react';
import { useSharedText } from '../i18n/use-text.ts';
import { Glyph } from '../parts/glyphs.tsx';
import { hiddenHost } from '../../evidence/evidence.ts';

/** A link to an original, under its title. */
export function OriginalLink({ to, children }: { to: string; children: ReactNode }): ReactNode {
  const text = useSharedText();
  const host = hiddenHost(to);
  return (
    <>
      <a href={to} target="_blank" rel="noopener noreferrer">
        {children} <Glyph name="external" size={10} />
        <VisuallyHidden> ({text('evidence.newWindow')})</VisuallyHidden>
      </a>
      {host !== null && <> {text('evidence.trueHost', { host })}</>}
    </>
  );
}
