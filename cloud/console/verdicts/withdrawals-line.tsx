/** Unreceived withdrawals, shown on the first screens (D133). */
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { kstDate } from '../../../shared/time/kst.ts';
import { Tag } from '../../../shared/ui/parts/badge.tsx';
import { useAge } from '../../../shared/ui/time/times.tsx';
import type { Withdrawals } from '../../../shared/wire/operator/operator.ts';
import { useOperator } from '../api/operator-context.tsx';
import { useText } from '../i18n/use-text.ts';
import { useLive } from '../live/refresh.tsx';
import { analysisPlace } from '../navigation/places.ts';
import { judgeRule } from '../rules/judge-rule.ts';
import { NeverConnected, TenantName } from './tenant-name.tsx';
import type { Verdict } from '../rules/rule.ts';
import { withdrawalUnreceived } from '../rules/withdrawal-unreceived.ts';
import { useSentence } from '../screens/facts/values/fact-names.ts';
import { SEVERITY_LOOKS, SeverityBadge } from './severity-badge.tsx';
import classes from './verdicts.module.css';

/** The most that are named; the rest is counted. */
const MOST = 3;

const judge = (withdrawals: Withdrawals): Verdict[] =>
  judgeRule(
    withdrawalUnreceived,
    { meta: { db: withdrawals.asOf, today: kstDate(new Date(withdrawals.asOf)) }, withdrawals },
    null,
  );

/** Whether any withdrawal waits. False before the first answer. */
export function useWaitingWithdrawals(): boolean {
  const { queries } = useOperator();
  return (useQuery(queries.withdrawals).data?.analyses.total ?? 0) > 0;
}

/**
 * @param withGood also say when every withdrawal was received, and when there was none
 * @param isShort the count alone, where a panel takes the room
 * @param isBesidePast said to be of now, where a past day is in view
 */
export function WithdrawalsLine({
  withGood = false,
  isShort = false,
  isBesidePast = false,
}: {
  withGood?: boolean;
  isShort?: boolean;
  isBesidePast?: boolean;
}): ReactNode {
  const text = useText();
  const sentenceOf = useSentence();
  const { queries } = useOperator();
  const withdrawals = useLive(queries.withdrawals).data;
  if (withdrawals === undefined) return null;
  const verdicts = judge(withdrawals);
  const worst = verdicts.find(({ severity }) => severity === 'BAD') ?? verdicts[0];
  if (worst === undefined) return null;
  if (withdrawals.analyses.total === 0)
    return withGood ? (
      <p className={classes['quietLine']}>
        <SeverityBadge severity={worst.severity} /> {sentenceOf(worst.sentence)}
      </p>
    ) : null;
  const { analyses, tenants } = withdrawals;
  return (
    <section
      className={classes['line']}
      data-tone={SEVERITY_LOOKS[worst.severity].tone}
      aria-label={text('withdrawals.title')}
    >
      <p>
        <SeverityBadge severity={worst.severity} />{' '}
        <strong>{text('withdrawals.waiting', { analyses: analyses.total, tenants: tenants.total })}</strong>{' '}
        {isBesidePast && <Tag glyph="waiting">{text('verdicts.current')}</Tag>}
      </p>
      <ul hidden={isShort}>
        {verdicts.slice(0, MOST).map(({ sentence }) => (
          <li key={String(sentence.values['analysis'])}>
            <Link href={analysisPlace(String(sentence.values['analysis']))}>{sentenceOf(sentence)}</Link>
          </li>
        ))}
        {analyses.total > MOST && <li>{text('withdrawals.more', { count: analyses.total - MOST })}</li>}
        <li>
          {text('withdrawals.tenants')} <WaitingTenants withdrawals={withdrawals} />
        </li>
        {tenants.neverConnected > 0 && (
          <li>
            <NeverConnected count={tenants.neverConnected} />
          </li>
        )}
      </ul>
    </section>
  );
}

function WaitingTenants({ withdrawals: { tenants } }: { withdrawals: Withdrawals }): ReactNode {
  const text = useText();
  const age = useAge();
  const shown = tenants.items.slice(0, MOST);
  return (
    <>
      {shown.map((tenant, index) => (
        <span key={tenant.tenantId}>
          {index > 0 && ', '}
          <TenantName tenant={tenant} /> ({text('withdrawals.since', { age: age(tenant.waitingSince) })})
        </span>
      ))}
      {tenants.total > shown.length && <> {text('recipients.more', { count: tenants.total - shown.length })}</>}
    </>
  );
}
