/** Acts that only end exposure. They proceed even where the journal or the disk allows no other write. */
import type { ConsoleActionLogTable } from '../storage/tables.ts';

type Act = Pick<ConsoleActionLogTable, 'action' | 'detail'>;

const isStop = ({ action, detail }: Act): boolean =>
  action === 'explanation.stop' ||
  action === 'explanation.move-to-review' ||
  (action === 'scope.toggle' && (JSON.parse(detail) as { to?: unknown }).to === false);

export const onlyStops = (acts: readonly Act[]): boolean => acts.length > 0 && acts.every(isStop);

/** Whether the acts only end exposure, or are logins and logouts. */
export const isUrgent = (acts: readonly Act[]): boolean =>
  acts.every((act) => act.action.startsWith('auth.') || isStop(act));
