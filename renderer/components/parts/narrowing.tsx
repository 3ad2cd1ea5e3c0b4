import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { Glyph } from '../../../shared/ui/parts/glyphs.tsx';
import { useText } from '../../i18n/use-text.ts';

/** A filter that a link from another screen has set; here it can only be removed. */
export function Narrowing({ words, onRemove }: { words: string; onRemove: () => void }): ReactNode {
  const text = useText();
  return (
    <Button
      variant="default"
      aria-label={text('board.narrowing.remove', { words })}
      rightSection={<Glyph name="cross" size={10} />}
      onClick={onRemove}
    >
      {words}
    </Button>
  );
}
