import type { ReactNode } from 'react';
import { Button, VisuallyHidden } from '@mantine/core';
import { Tag } from '../../../../shared/ui/parts/badge.tsx';
import { Glyph } from '../../../../shared/ui/parts/glyphs.tsx';
import { KstTime } from '../../../../shared/ui/time/times.tsx';
import type { ReviewClaim, ReviewItem } from '../../../../shared/wire/console/console.ts';
import { useConsole } from '../../../api/console-context.tsx';
import { useMay } from '../../../api/session-context.ts';
import { ChangeError } from '../../../components/parts/change-error.tsx';
import parts from '../../../components/parts/parts.module.css';
import { useChange } from '../../../components/parts/use-change.ts';
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

/** Who has handed an item over, and to whom (D236); the button takes it, or takes it back. */
export function HandedOverNote({
  item: { id, handedOver },
}: {
  item: Pick<ReviewItem, 'id' | 'handedOver'>;
}): ReactNode {
  const text = useText();
  const may = useMay();
  const { api } = useConsole();
  const change = useChange(() => api.takeItem(id), text('handOver.taken'));
  if (handedOver === null) return null;
  const { by, to, at } = handedOver;
  return (
    <div className={parts['note']} data-tone="info" role="note">
      <Glyph name="waiting" />
      <span>
        {text('handOver.told', { by, to: to ?? text('handOver.anybody') })} <KstTime at={at} />{' '}
        {may('review.decide') && (
          <Button
            variant="default"
            size="compact-sm"
            loading={change.isPending}
            onClick={() => change.mutate(undefined)}
          >
            {text('handOver.take')}
          </Button>
        )}
        <ChangeError error={change.error} />
      </span>
    </div>
  );
}

/** The same in a row of the queue. */
export function HandedOverTag({ handedOver }: Pick<ReviewItem, 'handedOver'>): ReactNode {
  const text = useText();
  if (handedOver === null) return null;
  const to = handedOver.to ?? text('handOver.anybody');
  return <Tag {...(handedOver.mine ? { tone: 'wait' } : {})}>{text('handOver.tag', { to })}</Tag>;
}
