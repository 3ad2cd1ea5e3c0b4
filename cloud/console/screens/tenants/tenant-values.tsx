/** The look of a tenant's values. */
import type { ReactNode } from 'react';
import { Badge, type Tone } from '../../../../shared/ui/parts/badge.tsx';
import type { GlyphName } from '../../../../shared/ui/parts/glyphs.tsx';
import type { ConnectionStatus } from '../../../../shared/wire/operator/tenant-constants.ts';
import { useAge } from '../../../../shared/ui/time/times.tsx';
import type { Tenant } from '../../../../shared/wire/operator/tenants.ts';
import { useText } from '../../i18n/use-text.ts';

const LOOKS: Readonly<Record<ConnectionStatus, { tone: Tone; glyph: GlyphName }>> = {
  NORMAL: { tone: 'good', glyph: 'approved' },
  SYNC_DELAYED: { tone: 'wait', glyph: 'waiting' },
  ERROR: { tone: 'bad', glyph: 'refused' },
  NOT_CONNECTED: { tone: 'neutral', glyph: 'unknown' },
};

/** What is said of a tenant's connection: connected and waiting is a good state of its own (D223). */
export const connectionOf = ({ connectionStatus, isWaiting }: Connection): ConnectionStatus | 'WAITING' =>
  isWaiting ? 'WAITING' : connectionStatus;

type Connection = Pick<Tenant, 'connectionStatus' | 'isWaiting'>;

export function ConnectionBadge({ tenant }: { tenant: Connection }): ReactNode {
  const text = useText();
  return <Badge {...LOOKS[tenant.connectionStatus]}>{text(`connection.${connectionOf(tenant)}`)}</Badge>;
}

/** The records that a tenant has not received yet, with the age of the oldest. */
export function Waiting({ tenant }: { tenant: Pick<Tenant, 'waitingCount' | 'waitingSince'> }): ReactNode {
  const text = useText();
  const age = useAge();
  const { waitingCount: count, waitingSince } = tenant;
  return waitingSince === null ? text('waiting.none') : text('waiting.since', { count, age: age(waitingSince) });
}
