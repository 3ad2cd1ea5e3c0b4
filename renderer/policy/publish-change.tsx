import { Button, NativeSelect } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState, type ReactNode } from 'react';
import { Link } from 'wouter';
import { ErrorState, LoadingState } from '../../shared/ui/parts/data-state.tsx';
import { Glyph } from '../../shared/ui/parts/glyphs.tsx';
import { KstTime } from '../../shared/ui/time/times.tsx';
import type { PolicyDraft, Preview } from '../../shared/wire/console.ts';
import { useConsole } from '../api/console-context.tsx';
import { useText } from '../i18n/use-text.ts';
import { ChangeError } from '../parts/change-error.tsx';
import { useChange } from '../parts/use-change.ts';
import { useNeedsTwo } from '../parts/use-needs-two.ts';
import { PolicyChanges } from './changes.tsx';
import classes from './policy.module.css';

const DAYS = [7, 30, 90, 365] as const;
const GROUPS = ['newlyBlocked', 'newlyReviewed', 'newlyProvided'] as const;
/** What another time of expiry does. */
const EXPOSURES = ['shownAgain', 'shownNoMore', 'shownLonger', 'shownShorter'] as const;

export interface PublishChangeProps {
  draft: PolicyDraft;
  /** Publishes it on the version that the preview was held against; refused when another came between. */
  publish: (version: number) => Promise<unknown>;
  /** Whether it is another's proposal that is published: anything else has to be proposed where the policy wants two people. */
  isProposal?: boolean;
  /** Published, or let go. */
  onClose: () => void;
}

/** What a change of the policy would have done to the last days, before it is published (D16). */
export function PublishChange({ draft, publish, isProposal = false, onClose }: PublishChangeProps): ReactNode {
  const text = useText();
  const { api } = useConsole();
  const [days, setDays] = useState<number>(30);
  const place = useRef<HTMLElement>(null);
  useEffect(() => place.current?.focus(), []);
  const preview = useQuery({
    queryKey: ['policy-preview', draft, days],
    queryFn: ({ signal }) => api.previewPolicy({ ...draft, days }, signal),
    staleTime: 0,
    gcTime: 0,
  });
  const proposes = useNeedsTwo() && !isProposal;
  const change = useChange(
    (version: number) => (proposes ? api.proposePolicy(draft, version) : publish(version)),
    text(proposes ? 'proposal.done' : 'policy.published'),
    onClose,
  );
  return (
    <section ref={place} className={classes['publish']} aria-label={text('policy.preview')} tabIndex={-1}>
      <header className={classes['publishHead']}>
        <h2>{text('policy.preview')}</h2>
        <NativeSelect
          aria-label={text('policy.preview.days')}
          value={String(days)}
          data={DAYS.map((one) => ({ value: String(one), label: text('policy.preview.lastDays', { days: one }) }))}
          onChange={(event) => setDays(Number(event.currentTarget.value))}
        />
      </header>
      {preview.data === undefined ? (
        preview.isError ? (
          <ErrorState error={preview.error} onRetry={() => void preview.refetch()} />
        ) : (
          <LoadingState />
        )
      ) : (
        <Effects preview={preview.data} />
      )}
      <ChangeError error={change.error} />
      <div className={classes['buttons']}>
        <Button
          disabled={preview.data?.policyVersion === undefined || preview.data.policyVersion === null}
          loading={change.isPending}
          onClick={() => {
            const version = preview.data?.policyVersion;
            if (version !== undefined && version !== null) change.mutate(version);
          }}
        >
          {text(proposes ? 'proposal.make' : 'policy.publish')}
        </Button>
        <Button variant="default" onClick={onClose}>
          {text('policy.letGo')}
        </Button>
        <span className={classes['quiet']}>{text(proposes ? 'proposal.note' : 'policy.publish.note')}</span>
      </div>
    </section>
  );
}

function Effects({ preview }: { preview: Preview }): ReactNode {
  const text = useText();
  return (
    <>
      <PolicyChanges changes={preview.changes} />
      <p className={classes['quiet']}>
        {text('policy.preview.examined', { count: preview.examined })} <KstTime at={preview.since} />
        {preview.truncated && ` · ${text('policy.preview.truncated')}`}
      </p>
      <EffectGroups
        groups={GROUPS}
        preview={preview}
        say={(item) => `${text(`status.${item.before}`)} → ${text(`status.${item.after}`)}`}
      />
      {preview.changes.some((change) => change.kind === 'CRITERION' && change.criterion === 'expiresAt') && (
        <Exposures preview={preview} />
      )}
    </>
  );
}

/** Whom another time of expiry concerns, whatever a screening would say of it. */
function Exposures({ preview }: { preview: Preview }): ReactNode {
  const text = useText();
  return (
    <>
      <p className={classes['quiet']}>{text('policy.preview.exposures')}</p>
      <EffectGroups groups={EXPOSURES} preview={preview} say={(item) => text(`status.${item.status}`)} />
    </>
  );
}

/** What would become of how many, and of which; `say` tells of one where it stands. */
function EffectGroups<Group extends keyof typeof TONES>({
  groups,
  preview,
  say,
}: {
  groups: readonly Group[];
  preview: Preview;
  say: (item: Preview[Group]['items'][number]) => string;
}): ReactNode {
  const text = useText();
  return (
    <div className={classes['effects']}>
      {groups.map((group) => (
        <div key={group} className={classes['effect']} data-tone={TONES[group]}>
          <p className={classes['effectHead']}>
            <Glyph name={GLYPHS[group]} /> {text(`policy.preview.${group}`)}
            <strong>{preview[group].count}</strong>
          </p>
          <ul>
            {preview[group].items.map((item) => (
              <li key={item.id}>
                <Link href={`/explanations/${encodeURIComponent(item.id)}`}>
                  {item.etf_ticker} {item.etf_name}
                </Link>{' '}
                <span className={classes['quiet']}>
                  {item.trade_date} · {say(item)}
                </span>
              </li>
            ))}
          </ul>
        </div>
      ))}
    </div>
  );
}

const TONES = {
  newlyBlocked: 'bad',
  newlyReviewed: 'wait',
  newlyProvided: 'good',
  shownAgain: 'bad',
  shownNoMore: 'stop',
  shownLonger: 'wait',
  shownShorter: 'neutral',
} as const;
const GLYPHS = {
  newlyBlocked: 'blocked',
  newlyReviewed: 'waiting',
  newlyProvided: 'automatic',
  shownAgain: 'warning',
  shownNoMore: 'stopped',
  shownLonger: 'warning',
  shownShorter: 'waiting',
} as const;
