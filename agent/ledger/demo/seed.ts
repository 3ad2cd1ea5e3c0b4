/** The demo's first rows (D58): accounts, policy, channels. An empty ledger without the demo switch gets none. */
import { sql } from 'kysely';
import type { Role } from '../../../shared/policy/roles.ts';
import type { Clock, Ids } from '../../../shared/time/clock.ts';
import { SEED_POLICY } from '../../screening/seed/seed-policy.ts';
import { recordAction } from '../audit/audit.ts';
import { addChannel } from '../serving/channels.ts';
import type { Ledger } from '../storage/ledger.ts';
import { sqlite } from '../storage/query.ts';
import { addMember } from '../accounts/members.ts';
import { hashPasswordSync } from '../../../shared/service/accounts/passwords.ts';
import { differences } from '../policy/changes.ts';
import { publishPolicy } from '../policy/versions.ts';

export const DEMO_ACCOUNTS: readonly { username: string; displayName: string; role: Role }[] = [
  { username: 'admin', displayName: '관리자', role: 'TENANT_ADMIN' },
  { username: 'reviewer', displayName: '준법심사자', role: 'COMPLIANCE_REVIEWER' },
  { username: 'operator', displayName: '운영자', role: 'OPERATOR' },
  { username: 'viewer', displayName: '조회자', role: 'READ_ONLY' },
];
/** Whom the administrator of a demo with a past has registered since (`electron/start/past`), with the same password. */
export const DEMO_COLLEAGUES: readonly { username: string; displayName: string; role: Role }[] = [
  { username: 'jiwoo.han', displayName: '한지우', role: 'COMPLIANCE_REVIEWER' },
  { username: 'seyoung.oh', displayName: '오세영', role: 'COMPLIANCE_REVIEWER' },
  { username: 'minjae.seo', displayName: '서민재', role: 'OPERATOR' },
  { username: 'hyunwoo.lim', displayName: '임현우', role: 'COMPLIANCE_REVIEWER' },
];
export const DEMO_PASSWORD = 'causeway-demo';
export const DEMO_CHANNELS = [
  { channel: 'MTS', key: 'demo-mts' },
  { channel: 'HTS', key: 'demo-hts' },
  { channel: 'WEB', key: 'demo-web' },
] as const;

/**
 * Seeds a ledger that holds no account, policy or channel yet; several processes may call it at once.
 *
 * @param hash of the accounts' password
 */
export function seedDemo(ledger: Ledger, clock: Clock, ids: Ids, hash = hashPasswordSync): void {
  if (!isEmpty(ledger)) return;
  const passwordHash = hash(DEMO_PASSWORD);
  ledger.write((tx) => {
    if (!isEmpty(ledger)) return;
    const at = clock.now().toISOString();
    for (const account of DEMO_ACCOUNTS) addMember(tx, { ...account, id: ids.uuid(), passwordHash, at });
    for (const channel of DEMO_CHANNELS) addChannel(tx, { ...channel, at });
    recordAction(tx, {
      at,
      actor: { kind: 'SYSTEM' },
      action: 'demo.seed',
      targetType: 'ledger',
      targetId: null,
      detail: {
        accounts: DEMO_ACCOUNTS.map(({ username, role }) => ({ username, role })),
        channels: DEMO_CHANNELS.map(({ channel }) => channel),
      },
    });
    publishPolicy(tx, {
      snapshot: SEED_POLICY,
      changes: differences(undefined, SEED_POLICY),
      actor: { kind: 'SYSTEM' },
      at,
    });
  });
}

function isEmpty(ledger: Ledger): boolean {
  const row = ledger.first(
    sqlite
      .selectFrom('sync_state')
      .select(
        sql<number>`EXISTS (SELECT 1 FROM member) OR EXISTS (SELECT 1 FROM policy_version) OR EXISTS (SELECT 1 FROM channel)`.as(
          'used',
        ),
      )
      .where('id', '=', 1),
  );
  return row?.used !== 1;
}
