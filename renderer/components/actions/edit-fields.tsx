import { Button } from '@mantine/core';
import { useDeferredValue, useEffect, useId, useLayoutEffect, useMemo, useRef, useState, type ReactNode } from 'react';
import { graphemes } from '../../../shared/ui/text/graphemes.ts';
import { DiffView } from '../../../shared/ui/text/diff-view.tsx';
import { useText } from '../../i18n/use-text.ts';
import { HitList, numberHits } from '../texts/marked-text.tsx';
import { MissingNotices } from '../texts/missing-notices.tsx';
import type { ServerDraftState } from './use-server-draft.ts';
import { FigureList } from '../figures/figure-list.tsx';
import type { CheckedFigure } from '../../../shared/evidence/support.ts';
import classes from './actions.module.css';
import type { ActionDraft } from './actions.ts';
import type { FoundInEdit } from './findings.ts';
import { MarkedField } from './marked-field.tsx';
import { ReplacementList } from './replacement-list.tsx';
import { firstPlaces, offerAt, type Offer, type Place } from './replacements.ts';

const NO_HITS: FoundInEdit['hits'] = [];

export interface EditFieldsProps {
  draft: ActionDraft;
  caret: number;
  /** The figures of the text without evidence. */
  open: readonly CheckedFigure[];
  saved: ServerDraftState;
  found: FoundInEdit | null;
  /** What the policy offers in the place of found expressions. */
  offers: readonly Offer[];
  onChange: (changes: { text: string }) => void;
}

/** The text to edit, beside its difference from the received text. */
export function EditFields({ draft, caret, open, saved, found, offers, onChange }: EditFieldsProps): ReactNode {
  const text = useText();
  const id = useId();
  const field = useRef<HTMLTextAreaElement>(null);
  const compared = useDeferredValue(draft.text);
  const [replaced, setReplaced] = useState<Place | null>(null);
  // Where the caret goes once the changed text is in the field.
  const [caretAfter, setCaretAfter] = useState<{ at: number } | null>(null);
  useLayoutEffect(() => {
    if (caretAfter === null) return;
    field.current?.focus();
    field.current?.setSelectionRange(caretAfter.at, caretAfter.at);
  }, [caretAfter]);
  const leave = (): void => {
    if (replaced !== null) setCaretAfter({ at: replaced.end });
    setReplaced(null);
  };
  const pick = (place: Place, phrase: string): void => {
    onChange({ text: draft.text.slice(0, place.start) + phrase + draft.text.slice(place.end) });
    setCaretAfter({ at: place.start + phrase.length });
    setReplaced(null);
  };
  const places = useMemo(() => firstPlaces(compared, offers), [compared, offers]);
  const start = useRef(draft.text === draft.base ? caret : draft.text.length);
  useEffect(() => field.current?.setSelectionRange(start.current, start.current), []);
  return (
    <div className={classes['edit']} data-edit>
      <div className={classes['editor']}>
        <label htmlFor={id}>
          {text('edit.label')}
          <span className={classes['count']}>
            {saved !== null && <span data-saved={saved}>{text(`edit.saved.${saved}`)} · </span>}
            {text('edit.length', { count: graphemes(compared).length })}
          </span>
        </label>
        <MarkedField
          id={id}
          name="edited_summary"
          ref={field}
          compared={compared}
          hits={found?.hits ?? NO_HITS}
          figures={open}
          base={draft.base}
          data-first
          value={draft.text}
          onChange={(event) => onChange({ text: event.currentTarget.value })}
          onKeyDown={(event) => {
            const { selectionStart, selectionEnd, value } = event.currentTarget;
            if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || event.nativeEvent.isComposing)
              return;
            const place = offerAt(value, { start: selectionStart, end: selectionEnd }, offers);
            if (place === null) return;
            event.preventDefault();
            setReplaced(place);
          }}
        />
        {replaced !== null && (
          <ReplacementList place={replaced} onPick={(phrase) => pick(replaced, phrase)} onClose={leave} />
        )}
      </div>
      <section className={classes['comparison']} aria-label={text('edit.difference')} tabIndex={0}>
        <p className={classes['label']}>{text('edit.difference')}</p>
        <DiffView before={draft.base} after={compared} />
        {places.length > 0 && (
          <div className={classes['offers']}>
            <p className={classes['label']}>{text('replacement.hint')}</p>
            {places.map((place) => (
              <Button key={place.matched} variant="default" size="compact-xs" onClick={() => setReplaced(place)}>
                {text('replacement.open', { matched: place.matched })}
              </Button>
            ))}
          </div>
        )}
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
