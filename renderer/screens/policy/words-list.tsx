import { Button, NativeSelect, VisuallyHidden } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { Link } from 'wouter';
import { kstDate } from '../../../shared/time/kst.ts';
import { EmptyState, Loaded } from '../../../shared/ui/parts/data-state.tsx';
import { SearchField } from '../../../shared/ui/parts/search-field.tsx';
import { PagedTable } from '../../../shared/ui/table/data-table.tsx';
import { NoValue } from '../../../shared/ui/time/times.tsx';
import { useNow } from '../../../shared/ui/time/use-now.ts';
import type { ForbiddenWord, WordCounts } from '../../../shared/wire/console/console.ts';
import type { ReceivedDays } from '../../api/client.ts';
import { EDITED } from '../../api/queries.ts';
import { useConsole } from '../../api/console-context.tsx';
import { writeBoardFilter } from '../explanations/board-filter.ts';
import { useText } from '../../i18n/use-text.ts';
import parts from '../../components/parts/parts.module.css';
import { Exceptions, SeverityTag, StateTag } from './treatment.tsx';

const PAGE = 50;
const DAY_MS = 86_400_000;
const COUNTED_DAYS = [30, 7, 90, 365] as const;

/** A page of the words that the search finds. */
export interface WordsView {
  q: string;
  page: number;
}

/** The policy's words with their hits; `onChange` and `onSwitch` are absent for somebody who may change none. */
export function WordsList({
  view,
  file,
  isCurrent,
  onView,
  onChange,
  onSwitch,
}: {
  view: WordsView;
  /** What stands beside the search. */
  file: ReactNode;
  isCurrent: (word: ForbiddenWord) => boolean;
  onView: (view: WordsView) => void;
  onChange: ((word: ForbiddenWord) => void) | undefined;
  onSwitch: ((word: ForbiddenWord) => void) | undefined;
}): ReactNode {
  const text = useText();
  const { queries } = useConsole();
  const list = useQuery(queries.words(queryOf(view)));
  const [days, setDays] = useState<number>(COUNTED_DAYS[0]);
  const received = lastDays(days, useNow());
  const counts = useQuery(queries.wordCounts(received)).data;
  return (
    <>
      <div className={parts['bar']}>
        <div className={parts['grow']}>
          <SearchField
            value={view.q}
            label={text('policy.words.search')}
            onChange={(next) => onView({ q: next, page: 1 })}
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
        {file}
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
              onPage={(page) => onView({ ...view, page })}
              idOf={(word) => word.id}
              isQuiet={(word) => !word.active}
              isCurrent={isCurrent}
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
                { id: 'state', head: text('policy.state'), render: ({ active }) => <StateTag active={active} /> },
                onChange === undefined || onSwitch === undefined
                  ? null
                  : {
                      id: 'change',
                      head: text('policy.change'),
                      render: (word) => <WordButtons word={word} onChange={onChange} onSwitch={onSwitch} />,
                    },
              ]}
            />
          )
        }
      </Loaded>
    </>
  );
}

/** The page in the API's form. */
export const queryOf = ({ q, page }: WordsView) => ({ page, size: PAGE, ...EDITED, ...(q === '' ? {} : { q }) });

function WordButtons({
  word,
  onChange,
  onSwitch,
}: {
  word: ForbiddenWord;
  onChange: (word: ForbiddenWord) => void;
  onSwitch: (word: ForbiddenWord) => void;
}): ReactNode {
  const text = useText();
  return (
    <span className={parts['rowButtons']}>
      <Button
        variant="default"
        size="compact-xs"
        aria-label={text('policy.word.changeNamed', { word: word.word })}
        onClick={() => onChange(word)}
      >
        {text('policy.word.change')}
      </Button>
      <Button
        variant="default"
        size="compact-xs"
        aria-label={text(word.active ? 'policy.word.offNamed' : 'policy.word.onNamed', { word: word.word })}
        onClick={() => onSwitch(word)}
      >
        {text(word.active ? 'policy.word.off' : 'policy.word.on')}
      </Button>
    </span>
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
