import { useDeferredValue, useEffect, useId, useMemo, useRef, type ReactNode } from 'react';
import { graphemes } from '../../../shared/ui/text/graphemes.ts';
import { DiffView } from '../../../shared/ui/text/diff-view.tsx';
import { useText } from '../../i18n/use-text.ts';
import type { ReviewDetail } from '../../../shared/wire/console/console.ts';
import { HitList, numberHits } from '../texts/marked-text.tsx';
import { MissingNotices } from '../texts/missing-notices.tsx';
import type { ServerDraftState } from './use-server-draft.ts';
import { FigureList } from '../figures/figure-list.tsx';
import type { CheckedFigure } from '../figures/support.ts';
import classes from './actions.module.css';
import type { ActionDraft } from './actions.ts';

/** The policy's findings in the saved text. */
export type FoundInEdit = Pick<NonNullable<ReviewDetail['draft']>, 'hits' | 'missing'>;

export interface EditFieldsProps {
  draft: ActionDraft;
  caret: number;
  figuresOf: ((text: string) => CheckedFigure[]) | undefined;
  saved: ServerDraftState;
  found: FoundInEdit | null;
  onChange: (changes: { text: string }) => void;
}

/** The text to edit, beside its difference from the received text. */
export function EditFields({ draft, caret, figuresOf, saved, found, onChange }: EditFieldsProps): ReactNode {
  const text = useText();
  const id = useId();
  const field = useRef<HTMLTextAreaElement>(null);
  const compared = useDeferredValue(draft.text);
  const open = useMemo(
    () => (figuresOf?.(compared) ?? []).filter(({ support }) => support.state !== 'supported'),
    [figuresOf, compared],
  );
  const start = useRef(draft.text === draft.base ? caret : draft.text.length);
  useEffect(() => field.current?.setSelectionRange(start.current, start.current), []);
  return (
    <div className={classes['edit']}>
      <div className={classes['editor']}>
        <label htmlFor={id}>
          {text('edit.label')}
          <span className={classes['count']}>
            {saved !== null && <span data-saved={saved}>{text(`edit.saved.${saved}`)} · </span>}
            {text('edit.length', { count: graphemes(compared).length })}
          </span>
        </label>
        <textarea
          id={id}
          name="edited_summary"
          ref={field}
          data-first
          lang="ko"
          spellCheck={false}
          value={draft.text}
          onChange={(event) => onChange({ text: event.currentTarget.value })}
        />
      </div>
      <section className={classes['comparison']} aria-label={text('edit.difference')} tabIndex={0}>
        <p className={classes['label']}>{text('edit.difference')}</p>
        <DiffView before={draft.base} after={compared} />
        {found !== null && found.hits.length > 0 && (
          <>
            <p className={classes['label']}>{text('edit.hits', { count: found.hits.length })}</p>
            <HitList hits={numberHits(found.hits)} />
          </>
        )}
        {found !== null && <MissingNotices missing={found.missing} />}
        {open.length > 0 && (
          <>
            <p className={classes['label']}>{text('edit.openFigures')}</p>
            <FigureList figures={open} />
          </>
        )}
      </section>
    </div>
  );
}
