import { useState, type ReactNode } from 'react';
import type { Preview } from '../../../shared/wire/console/console.ts';
import { AllTick, BulkButton, RowTick } from '../../components/actions/bulk-button.tsx';
import { useTicks } from '../../components/actions/use-ticks.ts';
import { useText } from '../../i18n/use-text.ts';
import classes from './policy.module.css';
import { EffectGroupView } from './preview-groups.tsx';

/**
 * Exposed texts that the change would catch. A new version moves none of them (D16): the reviewer ticks and sends them
 * to review from here.
 */
export function CaughtExposed({ preview }: { preview: Preview }): ReactNode {
  const text = useText();
  const { items } = preview.caughtExposed;
  const ticks = useTicks(items, preview.since, true);
  const [isSent, setIsSent] = useState(false);
  const clear = (): void => {
    ticks.clear();
    setIsSent(true);
  };
  return (
    <EffectGroupView
      group="caughtExposed"
      preview={preview}
      say={({ status }) => text(`status.${status}`)}
      renderBefore={(item) => <RowTick item={item} isTicked={ticks.has(item.id)} onToggle={ticks.toggle} />}
    >
      <div className={classes['buttons']}>
        <AllTick ticks={ticks} label />
        <BulkButton
          label={text('policy.preview.toReview')}
          actions={['move-to-review']}
          ticks={{ ticked: ticks.ticked, clear }}
        />
        {isSent && (
          <span className={classes['quiet']} role="status">
            {text('policy.preview.sent')}
          </span>
        )}
      </div>
    </EffectGroupView>
  );
}
