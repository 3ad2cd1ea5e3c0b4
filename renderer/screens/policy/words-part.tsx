import { Button, NativeSelect, VisuallyHidden } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { Link, useLocation, useSearch } from 'wouter';
import { kstDate } from '../../../shared/time/kst.ts';
import { EmptyState, Loaded } from '../../../shared/ui/parts/data-state.tsx';
import { SearchField } from '../../../shared/ui/parts/search-field.tsx';
import { PagedTable } from '../../../shared/ui/table/data-table.tsx';
import { NoValue } from '../../../shared/ui/time/times.tsx';
import { useNow } from '../../../shared/ui/time/use-now.ts';
import type { ForbiddenWord, PolicyDraft, WordCounts } from '../../../shared/wire/console/console.ts';
import type { ReceivedDays } from '../../api/client.ts';
import { EDITED } from '../../api/queries.ts';
import { useConsole } from '../../api/console-context.tsx';
import { writeBoardFilter } from '../explanations/board-filter.ts';
import { useText } from '../../i18n/use-text.ts';
import parts from '../../components/parts/parts.module.css';
import { useMay } from '../../api/session-context.ts';
import classes from './policy.module.css';
import { useUnsentForm } from './unsent-form.ts';
import { PublishChange } from './publish-change.tsx';
import { Exceptions, SeverityTag, StateTag } from './treatment.tsx';
import { Teaching } from './teaching.tsx';
import { ImportedWords, WordsFile, type Imported } from './words-file.tsx';
import { draftOf, NEW_WORD, typedOf, wordOf, WordForm } from './word-form.tsx';

const PAGE = 50;
const DAY_MS = 86_400_000;
const COUNTED_DAYS = [30, 7, 90, 365] as const;

interface Pending {
  draft: PolicyDraft;
  /** Whether the word comes from the form, which shows the message until the user types on. */
  isTyped: boolean;
}

/** Forbidden words with their exceptions; a reviewer registers and switches them after a preview. */
export function WordsPart(): ReactNode {
  const text = useText();
  const may = useMay();
  const { queries } = useConsole();
  const [, navigate] = useLocation();
  const q = new URLSearchParams(useSearch()).get('q') ?? '';
  const setQ = (next: string): void =>
    navigate(`/policy/words${next === '' ? '' : `?${new URLSearchParams({ q: next })}`}`, { replace: true });
  const [page, setPage] = useState(1);
  const [pending, setPending] = useState<Pending | null>(null);
  /** The word that the form changes; null for a new one. */
  const [changed, setChanged] = useState<ForbiddenWord | null>(null);
  const [typed, setTyped] = useUnsentForm(
    changed === null ? 'word' : `word.${changed.id}`,
    changed === null ? NEW_WORD : typedOf(changed),
  );
  const [isRefused, setIsRefused] = useState(false);
  const [existing, setExisting] = useState<string | null>(null);
  const list = useQuery(queries.words({ page, size: PAGE, ...EDITED, ...(q === '' ? {} : { q }) }));
  const [days, setDays] = useState<number>(COUNTED_DAYS[0]);
  const received = lastDays(days, useNow());
  const counts = useQuery(queries.wordCounts(received)).data;
  const mayChange = may('policy.change');
  const version = list.data?.policyVersion ?? null;
  const words = useQuery({ ...queries.policyVersion(version ?? 0), enabled: version !== null }).data?.words;
  const [imported, setImported] = useState<Imported | null>(null);

  const begin = (word: ForbiddenWord | null): void => {
    setChanged(word);
    setIsRefused(false);
    setPending(null);
  };
  const preview = pending !== null && (
    <PublishChange
      draft={pending.draft}
      isStale={pending.isTyped && JSON.stringify(draftOf(typed)) !== JSON.stringify(pending.draft)}
      onDone={() => {
        if (!pending.isTyped) return;
        setTyped(null);
        setChanged(null);
      }}
      onClose={() => {
        setPending(null);
        setImported(null);
      }}
      onExisting={(word) => {
        setExisting(word);
        setQ(word);
        setPage(1);
        setPending(null);
      }}
    />
  );
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
        onClose={() => {
          setImported(null);
          setPending(null);
        }}
      />
    );
  return (
    <>
      {!mayChange && <p className={parts['quiet']}>{text('policy.notYourRole')}</p>}
      <div className={mayChange ? classes['sides'] : undefined}>
        {mayChange && form}
        <div>
          {mayChange && preview}
          {mayChange && <Teaching draft={draftOf(typed)} word={wordOf(typed)} />}
          <div className={parts['bar']}>
            <div className={parts['grow']}>
              <SearchField
                value={q}
                label={text('policy.words.search')}
                onChange={(next) => {
                  setQ(next);
                  setPage(1);
                }}
              />
            </div>
            <NativeSelect
              aria-label={text('policy.matches.days')}
              value={String(days)}
              data={COUNTED_DAYS.map((one) => ({
                value: String(one),
                label: text('policy.matches.lastDays', { days: one }),
              }))}
              onChange={(event) => setDays(Number(event.currentTarget.value))}
            />
            <WordsFile
              words={words}
              onImport={
                mayChange
                  ? (file) => {
                      setPending(null);
                      setImported(file);
                    }
                  : undefined
              }
            />
          </div>
          <Loaded query={list}>
            {(found) =>
              found.items.length === 0 ? (
                <EmptyState title={text('policy.words.none')} />
              ) : (
                <PagedTable
                  label={text('policy.words')}
                  page={found}
                  count={text('policy.words.total', { total: found.total })}
                  onPage={setPage}
                  idOf={(word) => word.id}
                  isQuiet={(word) => !word.active}
                  isCurrent={({ id, word }) => word === existing || id === typed.changed?.id}
                  columns={[
                    { id: 'word', head: text('policy.word'), kind: 'name', lang: 'ko', render: (word) => word.word },
                    {
                      id: 'severity',
                      head: text('policy.severity'),
                      render: ({ severity }) => <SeverityTag severity={severity} />,
                    },
                    {
                      id: 'exceptions',
                      head: text('policy.exceptions'),
                      render: ({ word, exceptions }) => <Exceptions word={word} exceptions={exceptions} />,
                    },
                    {
                      id: 'matches',
                      head: text('policy.matches'),
                      kind: 'number',
                      render: (word) => <Matches word={word} counts={counts} received={received} />,
                    },
                    {
                      id: 'state',
                      head: text('policy.state'),
                      render: ({ active }) => <StateTag active={active} />,
                    },
                    mayChange
                      ? {
                          id: 'change',
                          head: text('policy.change'),
                          render: (word) => (
                            <span className={parts['rowButtons']}>
                              <Button
                                variant="default"
                                size="compact-xs"
                                aria-label={text('policy.word.changeNamed', { word: word.word })}
                                onClick={() => begin(word)}
                              >
                                {text('policy.word.change')}
                              </Button>
                              <Button
                                variant="default"
                                size="compact-xs"
                                aria-label={text(word.active ? 'policy.word.offNamed' : 'policy.word.onNamed', {
                                  word: word.word,
                                })}
                                onClick={() => setPending({ draft: { toggleWords: [word.id] }, isTyped: false })}
                              >
                                {text(word.active ? 'policy.word.off' : 'policy.word.on')}
                              </Button>
                            </span>
                          ),
                        }
                      : null,
                  ]}
                />
              )
            }
          </Loaded>
        </div>
      </div>
    </>
  );
}

/** The number of explanations in which the screening found a word; it links to them. */
function Matches({
  word: { id, word },
  counts,
  received,
}: {
  word: { id: string; word: string };
  counts: WordCounts | undefined;
  received: Required<ReceivedDays>;
}): ReactNode {
  const text = useText();
  if (counts === undefined) return <NoValue />;
  const counted = counts.words.find(({ wordId }) => wordId === id);
  if (counted === undefined) return 0;
  const { explanations: found, dismissed } = counted;
  return (
    <>
      <Link href={`/explanations${writeBoardFilter({ word: id, ...received })}`}>
        {found.toLocaleString('en-US')} <VisuallyHidden>{text('policy.matches.of', { word })}</VisuallyHidden>
      </Link>
      {dismissed > 0 && <div className={parts['quiet']}>{text('policy.matches.dismissed', { count: dismissed })}</div>}
    </>
  );
}

/** The last days up to today, as Korean days. */
function lastDays(days: number, now: Date): Required<ReceivedDays> {
  return { receivedFrom: kstDate(new Date(now.getTime() - (days - 1) * DAY_MS)), receivedTo: kstDate(now) };
}
