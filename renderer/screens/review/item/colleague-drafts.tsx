import type { ReactNode } from 'react';
import { useFailureWords } from '../../../../shared/ui/session/change-failure.tsx';
import { Glyph } from '../../../../shared/ui/parts/glyphs.tsx';
import { kstText } from '../../../../shared/ui/time/format.ts';
import { KstTime } from '../../../../shared/ui/time/times.tsx';
import type { ReviewDetail } from '../../../../shared/wire/console/console.ts';
import type { Action } from '../../../components/actions/actions.ts';
import type { ServerDraft } from '../../../components/actions/use-server-draft.ts';
import { ConfirmButton } from '../../../components/parts/confirm-button.tsx';
import parts from '../../../components/parts/parts.module.css';
import { useText } from '../../../i18n/use-text.ts';

export interface AtWork {
  /** The draft's id. */
  id: string;
  /** The name, and since when. */
  who: string;
}

type Drafted = Pick<ReviewDetail, 'claims' | 'colleagueDrafts' | 'draft'>;

/** Since when its author has the item open, if they do now. */
function openSince({ claims }: Pick<ReviewDetail, 'claims'>, author: string): string | null {
  return claims.find(({ mine, displayName }) => !mine && displayName === author)?.claimedAt ?? null;
}

/** The colleagues whose work a decision would overtake; those whose words it continues are its authors (D236). */
export function overtakenBy(action: Action, item: Drafted): AtWork[] {
  const authors = action === 'approve-edited' && item.draft !== null ? item.draft.authors : [];
  return item.colleagueDrafts
    .filter(({ displayName }) => !authors.includes(displayName))
    .map(({ id, displayName, at }) => ({ id, who: named(displayName, openSince(item, displayName) ?? at) }));
}

const named = (name: string, since: string): string => `${name} (${kstText(since, 'minute') ?? since} KST)`;

/** Colleagues' drafts about an item, each with its author. @param saved with it, a button continues a draft */
export function ColleagueDrafts({ item, saved }: { item: ReviewDetail; saved: ServerDraft | null }): ReactNode {
  const text = useText();
  const describe = useFailureWords();
  const { colleagueDrafts, draft } = item;
  return colleagueDrafts.map(({ id, displayName, at }) => {
    const since = openSince(item, displayName);
    // A colleague's draft does not overwrite the user's own text: the user discards that first.
    const mayTakeOver = (draft?.text ?? null) === null && saved !== null && ['saved', null].includes(saved.state);
    return (
      <div key={id} className={parts['note']} data-tone="info" role="note">
        <Glyph name="waiting" />
        <span>
          {text('draft.colleague', { name: displayName })}{' '}
          {since !== null && (
            <>
              {text('draft.openSince')} <KstTime at={since} /> ·{' '}
            </>
          )}
          {text('draft.savedAt')} <KstTime at={at} />{' '}
          {mayTakeOver ? (
            <>
              <ConfirmButton
                label={text('draft.takeOver')}
                named={`${text('draft.takeOver')}: ${named(displayName, since ?? at)}`}
                size="xs"
                isDestructive={false}
                onConfirm={() => saved.takeOver(id)}
              />{' '}
              {text('draft.takeOverMeans')}
            </>
          ) : (
            saved !== null && text('draft.ownFirst')
          )}
          {saved !== null && saved.takeOverError !== null && (
            <strong role="alert"> {describe(saved.takeOverError, false)}</strong>
          )}
        </span>
      </div>
    );
  });
}
