import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { Glyph } from '../../../../shared/ui/parts/glyphs.tsx';
import { useText } from '../../../i18n/use-text.ts';
import parts from '../../../components/parts/parts.module.css';

export interface OutsideNoteProps {
  isFiltered: boolean;
  /** Shows the whole queue. */
  onClear: () => void;
  /** Filters the queue by the open item's ticker. */
  onFind: () => void;
}

/** Says that the open item is not in the list, and offers a list that contains it. */
export function OutsideNote({ isFiltered, onClear, onFind }: OutsideNoteProps): ReactNode {
  const text = useText();
  return (
    <div className={parts['note']} data-tone="wait" role="status" data-outside>
      <Glyph name="warning" />
      <div>
        <p>{text(isFiltered ? 'review.outside.filtered' : 'review.outside')}</p>
        <div className={parts['buttons']}>
          {isFiltered && (
            <Button variant="default" size="compact-sm" onClick={onClear}>
              {text('review.outside.clear')}
            </Button>
          )}
          <Button variant="default" size="compact-sm" onClick={onFind}>
            {text('review.outside.find')}
          </Button>
        </div>
      </div>
    </div>
  );
}
