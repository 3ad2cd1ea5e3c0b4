import { useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { useLocation, useSearch } from 'wouter';
import type { ForbiddenWord, PolicyDraft } from '../../../shared/wire/console/console.ts';
import { useConsole } from '../../api/console-context.tsx';
import { useText } from '../../i18n/use-text.ts';
import parts from '../../components/parts/parts.module.css';
import { useMay } from '../../api/session-context.ts';
import classes from './policy.module.css';
import { useUnsentForm } from './unsent-form.ts';
import { PublishChange } from './publish-change.tsx';
import { Teaching } from './teaching.tsx';
import { ImportedWords, WordsFile, type Imported } from './words-file.tsx';
import { queryOf, WordsList, type WordsView } from './words-list.tsx';
import { draftOf, NEW_WORD, typedOf, wordOf, WordForm } from './word-form.tsx';

interface Pending {
  draft: PolicyDraft;
  /** Whether the word comes from the form, which shows the message until the user types on. */
  isTyped: boolean;
}

/** Forbidden words with their exceptions; a reviewer registers and switches them after a preview. */
export function WordsPart(): ReactNode {
  const text = useText();
  const mayChange = useMay()('policy.change');
  const { queries } = useConsole();
  const [view, setView] = useView();
  const [pending, setPending] = useState<Pending | null>(null);
  /** The word that the form changes; null for a new one. */
  const [changed, setChanged] = useState<ForbiddenWord | null>(null);
  const [typed, setTyped] = useUnsentForm(
    changed === null ? 'word' : `word.${changed.id}`,
    changed === null ? NEW_WORD : typedOf(changed),
  );
  const [isRefused, setIsRefused] = useState(false);
  const [existing, setExisting] = useState<string | null>(null);
  const [imported, setImported] = useState<Imported | null>(null);
  const version = useQuery(queries.words(queryOf(view))).data?.policyVersion ?? null;
  const words = useQuery({ ...queries.policyVersion(version ?? 0), enabled: version !== null }).data?.words;

  const begin = (word: ForbiddenWord | null): void => {
    setChanged(word);
    setIsRefused(false);
    setPending(null);
  };
  const leaveFile = (): void => {
    setImported(null);
    setPending(null);
  };
  const form =
    imported === null ? (
      <WordForm
        words={words ?? []}
        typed={typed}
        isRefused={isRefused}
        onRefused={() => setIsRefused(true)}
        onChange={setTyped}
        onLetGo={() => {
          setTyped(null);
          begin(null);
        }}
        onPreview={(draft) => {
          setIsRefused(false);
          setPending({ draft, isTyped: true });
        }}
      />
    ) : (
      <ImportedWords
        imported={imported}
        onPreview={(draft) => setPending({ draft, isTyped: false })}
        onClose={leaveFile}
      />
    );
  const preview = pending !== null && (
    <PublishChange
      draft={pending.draft}
      isStale={pending.isTyped && JSON.stringify(draftOf(typed)) !== JSON.stringify(pending.draft)}
      onDone={() => {
        if (!pending.isTyped) return;
        setTyped(null);
        setChanged(null);
      }}
      onClose={leaveFile}
      onExisting={(word) => {
        setExisting(word);
        setView({ q: word, page: 1 });
        setPending(null);
      }}
    />
  );
  const openFile = (file: Imported): void => {
    setPending(null);
    setImported(file);
  };
  return (
    <>
      {!mayChange && <p className={parts['quiet']}>{text('policy.notYourRole')}</p>}
      <div className={mayChange ? classes['sides'] : undefined}>
        {mayChange && form}
        <div>
          {mayChange && preview}
          {mayChange && <Teaching draft={draftOf(typed)} word={wordOf(typed)} />}
          <WordsList
            view={view}
            file={<WordsFile words={words} onImport={mayChange ? openFile : undefined} />}
            isCurrent={({ id, word }) => word === existing || id === typed.changed?.id}
            onView={setView}
            onChange={mayChange ? begin : undefined}
            onSwitch={mayChange ? ({ id }) => setPending({ draft: { toggleWords: [id] }, isTyped: false }) : undefined}
          />
        </div>
      </div>
    </>
  );
}

/** The search stands in the address, the page does not. */
function useView(): [WordsView, (next: WordsView) => void] {
  const [, navigate] = useLocation();
  const q = new URLSearchParams(useSearch()).get('q') ?? '';
  const [page, setPage] = useState(1);
  return [
    { q, page },
    (next) => {
      setPage(next.page);
      if (next.q === q) return;
      navigate(`/policy/words${next.q === '' ? '' : `?${new URLSearchParams({ q: next.q })}`}`, { replace: true });
    },
  ];
}
