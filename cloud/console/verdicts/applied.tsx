/** What a tenant tells of its applying (D230): as told through the relay, so that nothing turns green by it. */
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { Badge, type Tone } from '../../../shared/ui/parts/badge.tsx';
import type { GlyphName } from '../../../shared/ui/parts/glyphs.tsx';
import { KstTime, useLength } from '../../../shared/ui/time/times.tsx';
import type { RejectionCode } from '../../../shared/wire/applied.ts';
import type { Recipients } from '../../../shared/wire/operator/operator.ts';
import type { Tenant } from '../../../shared/wire/operator/tenants.ts';
import { useText } from '../i18n/use-text.ts';
import { analysisPlace } from '../navigation/places.ts';
import { Quantity } from '../runs/quantity.tsx';
import classes from './verdicts.module.css';

type AppliedState = Recipients['tenants'][number]['applied'];

const LOOKS: Readonly<Record<NonNullable<AppliedState>['state'], { tone: Exclude<Tone, 'good'>; glyph: GlyphName }>> = {
  REJECTED: { tone: 'bad', glyph: 'refused' },
  PENDING: { tone: 'wait', glyph: 'waiting' },
  APPLIED: { tone: 'neutral', glyph: 'tick' },
};

/** Of one record; nothing where the tenant does not tell. */
export function AppliedBadge({ applied, issuedAt }: { applied: AppliedState; issuedAt: string | null }): ReactNode {
  const text = useText();
  if (applied === null) return null;
  const { state, at, code } = applied;
  return (
    <Badge {...LOOKS[state]}>
      {text(`applied.${state}`)} {code !== null && <Code code={code} />}
      {at !== null && (
        <>
          <KstTime at={at} precision="second" />
          {issuedAt !== null && <After ms={Date.parse(at) - Date.parse(issuedAt)} />}
        </>
      )}
    </Badge>
  );
}

function After({ ms }: { ms: number }): ReactNode {
  const text = useText();
  const length = useLength();
  return <> · {ms < 60_000 ? text('applied.after', { seconds: (ms / 1_000).toFixed(1) }) : length(ms)}</>;
}

function Code({ code }: { code: RejectionCode }): ReactNode {
  const text = useText();
  return (
    <>
      {text(`rejection.${code}`)} <code>{code}</code>
    </>
  );
}

type Applied = NonNullable<Tenant['applied']>;

/** What needs an act at the tenant, for its row in a list; nothing where there is nothing. */
export function NotApplied({ applied }: { applied: Tenant['applied'] }): ReactNode {
  const text = useText();
  if (applied === null || applied.rejected + applied.held === 0) return null;
  return (
    <>
      {' '}
      <Badge tone="wait" glyph="warning">
        {text('applied.troubled', { count: applied.rejected + applied.held })}
      </Badge>
    </>
  );
}

/** Rejected entries, each with its code and the analysis. */
export function RejectedEntries({ rejected, entries }: Pick<Applied, 'rejected' | 'entries'>): ReactNode {
  const text = useText();
  return (
    <>
      <Quantity value={rejected} />
      {entries.length > 0 && (
        <ul className={classes['entries']}>
          {entries.map(({ cursor, code, record }) => (
            <li key={cursor}>
              {record === null ? (
                text('applied.noRecord', { cursor })
              ) : (
                <Link href={analysisPlace(record.id)}>
                  {text(record.isWithdrawal ? 'applied.withdrawal' : 'applied.text', {
                    name: record.instrumentName,
                    ticker: record.ticker,
                  })}
                </Link>
              )}{' '}
              <Code code={code} />
            </li>
          ))}
          {rejected > entries.length && <li>{text('withdrawals.more', { count: rejected - entries.length })}</li>}
        </ul>
      )}
    </>
  );
}
