import { Button, NativeSelect, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState, type ReactNode } from 'react';
import { giveFocusBack } from '../../../shared/ui/keys/lost-focus.ts';
import { ErrorState, LoadingState } from '../../../shared/ui/parts/data-state.tsx';
import { Glyph } from '../../../shared/ui/parts/glyphs.tsx';
import { KstTime } from '../../../shared/ui/time/times.tsx';
import type { PolicyDraft, Preview } from '../../../shared/wire/console/console.ts';
import { useConsole } from '../../api/console-context.tsx';
import { useText } from '../../i18n/use-text.ts';
import { ChangeError } from '../../components/parts/change-error.tsx';
import parts from '../../components/parts/parts.module.css';
import { useChange } from '../../components/parts/use-change.ts';
import { useNeedsTwo } from '../../components/parts/use-needs-two.ts';
import { CaughtExposed } from './exposed-hits.tsx';
import { FreedBlocks } from './freed-blocks.tsx';
import { existingWord } from './existing-word.ts';
import { PolicyChanges } from './changes.tsx';
import classes from './policy.module.css';
import { useStart } from './start-field.tsx';
import { EffectGroupView } from './preview-groups.tsx';

const DAYS = [7, 30, 90, 365] as const;
const FLIPS = ['newlyBlocked', 'newlyReviewed', 'newlyProvided'] as const;
/** The effects of another expiry time. */
const VISIBILITY_GROUPS = ['exposedAgain', 'exposedNoMore', 'exposedLonger', 'exposedShorter'] as const;

export interface PublishChangeProps {
  draft: PolicyDraft;
  /** Whether the form has changed since: the change must then be previewed again before it is published. */
  isStale?: boolean;
  /**
   * A proposal by another reviewer, published unchanged. Other changes become a proposal where the policy requires two
   * people.
   */
  proposalId?: string;
  /** Called when the change is published or proposed: the form may be reset. */
  onDone?: () => void;
  onClose: () => void;
  /** Opens the already registered word. */
  onExisting?: (word: string) => void;
}

/** The effect that a policy change would have had on the last days, beside its form, before it is published (D16). */
export function PublishChange({
  draft,
  isStale = false,
  proposalId,
  onDone,
  onClose,
  onExisting,
}: PublishChangeProps): ReactNode {
  const text = useText();
  const { api } = useConsole();
  const [days, setDays] = useState<number>(30);
  const [reason, setReason] = useState('');
  const [isUnreasoned, setIsUnreasoned] = useState(false);
  const reasonField = useRef<HTMLInputElement>(null);
  const [isDone, setIsDone] = useState(false);
  const place = useRef<HTMLElement>(null);
  useEffect(() => {
    const opener = document.activeElement;
    return () => queueMicrotask(() => giveFocusBack(opener));
  }, []);
  useEffect(() => place.current?.focus(), [draft, isDone]);
  const preview = useQuery({
    queryKey: ['policy-preview', draft, days],
    queryFn: ({ signal }) => api.previewPolicy({ ...draft, days }, signal),
    staleTime: 0,
    gcTime: 0,
    retry: false,
    // After publication the preview would compare the change with itself.
    enabled: !isDone,
  });
  const proposes = useNeedsTwo() && proposalId === undefined;
  const [start, startField] = useStart(Object.keys(draft).length === 0, isUnreasoned);
  const change = useChange(
    (version: number | null) => {
      const { startsAt } = start;
      const reasoned = {
        ...draft,
        ...(startsAt === undefined ? {} : { startsAt }),
        ...(reason.trim() === '' ? {} : { reason: reason.trim() }),
      };
      if (proposalId !== undefined) return api.publishProposal(proposalId, version ?? 0);
      return proposes ? api.proposePolicy(reasoned, version ?? 0) : api.publishPolicy(reasoned, version);
    },
    text(proposes ? 'proposal.done' : start.isLater && proposalId === undefined ? 'start.planned' : 'policy.published'),
    () => {
      onDone?.();
      // Exposed texts stay exposed, and blocked ones blocked: the dialog offers them until the person has handled them.
      if (preview.data !== undefined && offersMore(preview.data)) setIsDone(true);
      else onClose();
    },
  );
  const existing = existingWord(preview.error);
  return (
    <section ref={place} className={classes['publish']} aria-label={text('policy.preview')} tabIndex={-1}>
      <header className={classes['publishHead']}>
        <h3>{text('policy.preview')}</h3>
        {!isDone && (
          <NativeSelect
            aria-label={text('policy.preview.days')}
            value={String(days)}
            data={DAYS.map((one) => ({ value: String(one), label: text('policy.preview.lastDays', { days: one }) }))}
            onChange={(event) => setDays(Number(event.currentTarget.value))}
          />
        )}
      </header>
      {existing !== null ? (
        <p className={parts['note']} data-tone="bad" role="alert">
          <Glyph name="warning" /> {text('policy.word.exists', { word: existing })}
          {onExisting !== undefined && (
            <Button variant="default" size="compact-xs" onClick={() => onExisting(existing)}>
              {text('policy.word.exists.show')}
            </Button>
          )}
        </p>
      ) : preview.data === undefined ? (
        preview.isError ? (
          <ErrorState error={preview.error} onRetry={() => void preview.refetch()} />
        ) : (
          <LoadingState />
        )
      ) : (
        <Effects preview={preview.data} />
      )}
      <ChangeError error={change.error} />
      {isDone ? (
        <div className={classes['buttons']}>
          <p className={classes['quiet']} role="status">
            {preview.data?.caughtExposed.count !== 0 &&
              text(proposes ? 'policy.preview.proposedExposed' : 'policy.preview.stillExposed')}
          </p>
          <Button onClick={onClose}>{text('policy.preview.close')}</Button>
        </div>
      ) : (
        <>
          {proposalId === undefined && startField}
          {proposalId === undefined && (
            <TextInput
              ref={reasonField}
              label={text('policy.reason.kept')}
              value={reason}
              maxLength={2_000}
              required
              withAsterisk={false}
              error={isUnreasoned && reason.trim() === '' && text('policy.reason.missing')}
              onChange={(event) => setReason(event.currentTarget.value)}
            />
          )}
          {isStale && (
            <p className={parts['note']} data-tone="wait" role="status">
              <Glyph name="warning" /> {text('policy.preview.stale')}
            </p>
          )}
          <div className={classes['buttons']}>
            <Button
              disabled={preview.data === undefined || isStale || preview.data.changes.length === 0}
              loading={change.isPending}
              onClick={() => {
                const isUnsaid = proposalId === undefined && reason.trim() === '';
                const isMissing = isUnsaid || (proposalId === undefined && start.isMissing);
                setIsUnreasoned(isMissing);
                if (isMissing) {
                  if (isUnsaid) reasonField.current?.focus();
                } else if (preview.data !== undefined) change.mutate(preview.data.policyVersion);
              }}
            >
              {text(proposes ? 'proposal.make' : 'policy.publish')}
            </Button>
            <Button variant="default" onClick={onClose}>
              {text('policy.cancel')}
            </Button>
            <span className={classes['quiet']}>{text(proposes ? 'proposal.note' : 'policy.publish.note')}</span>
          </div>
        </>
      )}
    </section>
  );
}

/** Whether the change catches exposed texts, or frees blocks that the policy in force makes. */
function offersMore({ caughtExposed, freedBlocks }: Preview): boolean {
  return caughtExposed.count > 0 || freedBlocks.items.some(({ before }) => before === 'BLOCKED');
}

function Effects({ preview }: { preview: Preview }): ReactNode {
  const text = useText();
  const { caughtExposed, freedBlocks, changes } = preview;
  return (
    <>
      <PolicyChanges changes={changes} />
      {caughtExposed.count > 0 && <CaughtExposed preview={preview} />}
      {freedBlocks.count > 0 && <FreedBlocks preview={preview} />}
      <p className={classes['quiet']}>
        {text('policy.preview.examined', { count: preview.examined })} <KstTime at={preview.since} />
        {preview.truncated && ` · ${text('policy.preview.truncated')}`}
      </p>
      <div className={classes['effects']}>
        {FLIPS.map((group) => (
          <EffectGroupView
            key={group}
            group={group}
            preview={preview}
            say={(item) =>
              `${text('policy.preview.now')} ${text(`status.${item.status}`)} · ${text(`status.${item.before}`)} → ${text(`status.${item.after}`)}`
            }
          />
        ))}
      </div>
      {changes.some((change) => change.kind === 'CRITERION' && change.criterion === 'expiresAt') && (
        <>
          <p className={classes['quiet']}>{text('policy.preview.exposures')}</p>
          <div className={classes['effects']}>
            {VISIBILITY_GROUPS.map((group) => (
              <EffectGroupView
                key={group}
                group={group}
                preview={preview}
                say={(item) => text(`status.${item.status}`)}
              />
            ))}
          </div>
        </>
      )}
    </>
  );
}
