import { Button, NativeSelect, Textarea, TextInput, VisuallyHidden } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { Link } from 'wouter';
import { kstDate } from '../../shared/time/kst.ts';
import { Tag } from '../../shared/ui/parts/badge.tsx';
import { EmptyState, Loaded } from '../../shared/ui/parts/data-state.tsx';
import { SearchField } from '../../shared/ui/parts/search-field.tsx';
import { PagedTable } from '../../shared/ui/table/data-table.tsx';
import { NoValue } from '../../shared/ui/time/times.tsx';
import { useNow } from '../../shared/ui/time/use-now.ts';
import type { PolicyDraft, WordCounts } from '../../shared/wire/console.ts';
import type { NewWord, ReceivedDays } from '../api/client.ts';
import { useConsole } from '../api/console-context.tsx';
import { writeBoardFilter } from '../explanations/board-filter.ts';
import { useText } from '../i18n/use-text.ts';
import parts from '../parts/parts.module.css';
import { useMay } from '../session/session-context.ts';
import classes from './policy.module.css';
import { PublishChange } from './publish-change.tsx';
import { readExceptions } from './exceptions.ts';

const PAGE = 50;
const DAY_MS = 86_400_000;
const COUNTED_DAYS = [30, 7, 90, 365] as const;

interface Pending {
  draft: PolicyDraft;
  publish: (version: number) => Promise<unknown>;
}

/** Forbidden words with their exceptions; a reviewer registers and switches them, after a look at what it would do. */
export function WordsPart(): ReactNode {
  const text = useText();
  const may = useMay();
  const { api, queries } = useConsole();
  const [q, setQ] = useState('');
  const [page, setPage] = useState(1);
  const [pending, setPending] = useState<Pending | null>(null);
  const list = useQuery(queries.words({ page, size: PAGE, ...(q === '' ? {} : { q }) }));
  const [days, setDays] = useState<number>(COUNTED_DAYS[0]);
  const received = lastDays(days, useNow());
  const counts = useQuery(queries.wordCounts(received)).data;
  const mayChange = may('policy.change');

  if (pending !== null) return <PublishChange {...pending} onClose={() => setPending(null)} />;
  return (
    <>
      {!mayChange && <p className={parts['quiet']}>{text('policy.notYourRole')}</p>}
      {mayChange && (
        <WordForm
          onPreview={(word) =>
            setPending({ draft: { addWords: [word] }, publish: (version) => api.addWord(word, version) })
          }
        />
      )}
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
              columns={[
                { id: 'word', head: text('policy.word'), kind: 'name', lang: 'ko', render: (word) => word.word },
                {
                  id: 'severity',
                  head: text('policy.severity'),
                  render: ({ severity }) => (
                    <Tag
                      tone={severity === 'BLOCK' ? 'bad' : 'wait'}
                      glyph={severity === 'BLOCK' ? 'blocked' : 'warning'}
                    >
                      {text(`severity.${severity}`)}
                    </Tag>
                  ),
                },
                {
                  id: 'exceptions',
                  head: text('policy.exceptions'),
                  render: ({ exceptions }) => <Exceptions exceptions={exceptions} />,
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
                  render: ({ active }) => (
                    <Tag tone={active ? 'good' : 'neutral'} glyph={active ? 'tick' : 'cross'}>
                      {text(active ? 'value.on' : 'value.off')}
                    </Tag>
                  ),
                },
                mayChange
                  ? {
                      id: 'change',
                      head: text('policy.change'),
                      render: ({ id, word, active }) => (
                        <Button
                          variant="default"
                          size="compact-xs"
                          aria-label={text(active ? 'policy.word.offNamed' : 'policy.word.onNamed', { word })}
                          onClick={() =>
                            setPending({
                              draft: { toggleWords: [id] },
                              publish: (version) => api.toggleWord(id, version),
                            })
                          }
                        >
                          {text(active ? 'policy.word.off' : 'policy.word.on')}
                        </Button>
                      ),
                    }
                  : null,
              ]}
            />
          )
        }
      </Loaded>
    </>
  );
}

/** In how many explanations the screening has found a word; the number leads to them. */
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

/** The last days until today, as Korean days. */
function lastDays(days: number, now: Date): Required<ReceivedDays> {
  return { receivedFrom: kstDate(new Date(now.getTime() - (days - 1) * DAY_MS)), receivedTo: kstDate(now) };
}

/** Words of the language that is screened, with what they lead to in the language of the screen. */
function Exceptions({ exceptions }: { exceptions: NewWord['exceptions'] }): ReactNode {
  const text = useText();
  return (
    <span className={classes['exceptions']}>
      {exceptions.map(({ text: exception, becomes }) => (
        <Tag key={exception} tone={becomes === 'CLEAR' ? 'good' : 'wait'}>
          <span lang="ko">{exception}</span> · {text(`policy.becomes.${becomes}`)}
        </Tag>
      ))}
    </span>
  );
}

function WordForm({ onPreview }: { onPreview: (word: NewWord) => void }): ReactNode {
  const text = useText();
  const [word, setWord] = useState('');
  const [severity, setSeverity] = useState<NewWord['severity']>('REVIEW');
  const [exceptions, setExceptions] = useState('');
  const [isMissing, setIsMissing] = useState(false);
  return (
    <form
      className={classes['wordForm']}
      aria-label={text('policy.register')}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        setIsMissing(word.trim() === '');
        if (word.trim() !== '') onPreview({ word: word.trim(), severity, exceptions: readExceptions(exceptions) });
      }}
    >
      <TextInput
        label={text('policy.word.new')}
        value={word}
        maxLength={200}
        spellCheck={false}
        error={isMissing ? text('policy.word.missing') : null}
        onChange={(event) => setWord(event.currentTarget.value)}
      />
      <NativeSelect
        label={text('policy.severity')}
        value={severity}
        data={(['REVIEW', 'BLOCK'] as const).map((one) => ({ value: one, label: text(`severity.${one}`) }))}
        onChange={(event) => setSeverity(event.currentTarget.value === 'BLOCK' ? 'BLOCK' : 'REVIEW')}
      />
      <Textarea
        label={text('policy.exceptions.new')}
        size="xs"
        autosize={false}
        rows={2}
        value={exceptions}
        onChange={(event) => setExceptions(event.currentTarget.value)}
      />
      <Button type="submit">{text('policy.toPreview')}</Button>
    </form>
  );
}
