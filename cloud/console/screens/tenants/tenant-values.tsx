/** The look of a tenant's values. */
import type { ReactNode } from 'react';
import { Badge, type Tone } from '../../../../shared/ui/parts/badge.tsx';
import type { GlyphName } from '../../../../shared/ui/parts/glyphs.tsx';
import type { ConnectionStatus } from '../../../../shared/wire/operator/tenant-constants.ts';
import { useAge } from '../../../../shared/ui/time/times.tsx';
import { useNow } from '../../../../shared/ui/time/use-now.ts';
import type { Tenant } from '../../../../shared/wire/operator/tenants.ts';
import { useText } from '../../i18n/use-text.ts';

/** A tenant that was created, or got a certificate, within these days is being set up while it has not connected. */
const SETTING_UP_MS = 30 * 24 * 3_600_000;

/** What is said of a tenant's connection. */
export type Connection = ConnectionStatus | 'WAITING' | 'SETTING_UP';

const LOOKS: Readonly<Record<Connection, { tone: Tone; glyph: GlyphName }>> = {
  NORMAL: { tone: 'good', glyph: 'approved' },
  SYNC_DELAYED: { tone: 'wait', glyph: 'waiting' },
  ERROR: { tone: 'bad', glyph: 'refused' },
  NOT_CONNECTED: { tone: 'neutral', glyph: 'unknown' },
  WAITING: { tone: 'good', glyph: 'approved' },
  SETTING_UP: { tone: 'info', glyph: 'waiting' },
};

type Connected = Pick<Tenant, 'connectionStatus' | 'isWaiting' | 'createdAt' | 'certificateIssuedAt'>;

/** Connected and waiting is a good state of its own (D223), and being set up one beside never connected (D225). */
export function connectionOf(tenant: Connected, now: Date): Connection {
  const { connectionStatus, isWaiting, createdAt, certificateIssuedAt } = tenant;
  if (isWaiting) return 'WAITING';
  const lastStep = Math.max(Date.parse(createdAt), Date.parse(certificateIssuedAt ?? createdAt));
  const isNew = now.getTime() - lastStep < SETTING_UP_MS;
  return connectionStatus === 'NOT_CONNECTED' && isNew ? 'SETTING_UP' : connectionStatus;
}

export function ConnectionBadge({ tenant }: { tenant: Connected }): ReactNode {
  const text = useText();
  const connection = connectionOf(tenant, useNow(60_000));
  return <Badge {...LOOKS[connection]}>{text(`connection.${connection}`)}</Badge>;
}

/** The records that a tenant has not received yet, with the age of the oldest. */
export function Waiting({ tenant }: { tenant: Pick<Tenant, 'waitingCount' | 'waitingSince'> }): ReactNode {
  const text = useText();
  const age = useAge();
  const { waitingCount: count, waitingSince } = tenant;
  return waitingSince === null ? text('waiting.none') : text('waiting.since', { count, age: age(waitingSince) });
}
