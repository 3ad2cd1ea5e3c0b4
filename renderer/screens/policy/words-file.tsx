import { Button, FileButton } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { kstDate } from '../../../shared/time/kst.ts';
import { useLanguage } from '../../../shared/ui/i18n/use-text.ts';
import { Glyph } from '../../../shared/ui/parts/glyphs.tsx';
import { saveFile } from '../../../shared/ui/parts/save-file.ts';
import { useNow } from '../../../shared/ui/time/use-now.ts';
import { MOST_WORDS_AT_ONCE } from '../../../shared/wire/console/constants.ts';
import type { ForbiddenWord, PolicyDraft } from '../../../shared/wire/console/console.ts';
import { TABLE_TYPES, type TableType } from '../../api/client.ts';
import parts from '../../components/parts/parts.module.css';
import { useText } from '../../i18n/use-text.ts';
import classes from './policy.module.css';
import { readWords, wordHeadings, wordRows, type ReadWords } from './word-file.ts';

/** Rows that cannot be taken and are named. */
const MOST_NAMED = 20;
const READABLE = '.xlsx,.csv,.txt';

/** A file that the person has chosen; `read` is null where it is no table. */
export interface Imported {
  name: string;
  read: ReadWords | null;
}

/** Saves the word list as a file, and reads an edited one. The library for files is loaded at the first use. */
export function WordsFile({
  words,
  onImport,
}: {
  words: readonly ForbiddenWord[] | undefined;
  /** Absent: the person may not change the policy. */
  onImport: ((imported: Imported) => void) | undefined;
}): ReactNode {
  const text = useText();
  const language = useLanguage();
  const today = kstDate(useNow());
  const [busy, setBusy] = useState<TableType | 'import' | null>(null);
  const run = async (what: TableType | 'import', work: () => Promise<void>): Promise<void> => {
    setBusy(what);
    await work().finally(() => setBusy(null));
  };
  const save = async (type: TableType): Promise<void> => {
    const { writeTable } = await import('./table-file.ts');
    const table = {
      name: text('policy.words'),
      headings: wordHeadings(language),
      rows: wordRows(words ?? [], language),
    };
    saveFile(`words-${today}.${type}`, await writeTable(table, type));
  };
  const open = async (file: File): Promise<void> => {
    const { readTable } = await import('./table-file.ts');
    const table = await readTable(file).catch(() => null);
    onImport?.({ name: file.name, read: table === null ? null : readWords(table, words ?? []) });
  };
  return (
    <div className={parts['buttons']} role="group" aria-label={text('words.file')}>
      {TABLE_TYPES.map((type) => (
        <Button
          key={type}
          variant="default"
          disabled={words === undefined}
          loading={busy === type}
          onClick={() => void run(type, () => save(type))}
        >
          {text(`words.export.${type}`)}
        </Button>
      ))}
      {onImport !== undefined && (
        <FileButton accept={READABLE} onChange={(file) => void (file && run('import', () => open(file)))}>
          {(props) => (
            <Button {...props} variant="default" disabled={words === undefined} loading={busy === 'import'}>
              {text('words.import')}
            </Button>
          )}
        </FileButton>
      )}
    </div>
  );
}

const COUNTS = ['added', 'changed', 'switched', 'same'] as const;

/** What a file would change, row by row that cannot be taken, before its effect is previewed. */
export function ImportedWords({
  imported: { name, read },
  onPreview,
  onClose,
}: {
  imported: Imported;
  onPreview: (draft: PolicyDraft) => void;
  onClose: () => void;
}): ReactNode {
  const text = useText();
  const title = text('words.import.title', { name });
  const isEmpty = read !== null && Object.keys(read.draft).length === 0;
  return (
    <section className={classes['ruleForm']} aria-label={title}>
      <h3>{title}</h3>
      <div className={classes['asRead']} role="status">
        {read === null ? (
          <p className={parts['note']} data-tone="bad">
            <Glyph name="warning" /> {text('words.import.unreadable', { name })}
          </p>
        ) : (
          <>
            <p>
              {COUNTS.filter((count) => read[count] > 0)
                .map((count) => text(`words.import.${count}`, { count: read[count] }))
                .join(' · ')}
            </p>
            {read.absent > 0 && (
              <p className={classes['quiet']}>{text('words.import.absent', { count: read.absent })}</p>
            )}
            {isEmpty && read.problems.length === 0 && <p>{text('words.import.nothing')}</p>}
            {read.isTooLong && (
              <p className={parts['note']} data-tone="bad">
                <Glyph name="warning" /> {text('words.import.tooLong', { most: MOST_WORDS_AT_ONCE })}
              </p>
            )}
            {read.problems.length > 0 && <Problems problems={read.problems} />}
          </>
        )}
      </div>
      <div className={parts['buttons']}>
        {read !== null && !isEmpty && !read.isTooLong && read.problems.length === 0 && (
          <Button onClick={() => onPreview(read.draft)}>{text('policy.toPreview')}</Button>
        )}
        <Button variant="default" onClick={onClose}>
          {text('policy.cancel')}
        </Button>
      </div>
    </section>
  );
}

function Problems({ problems }: { problems: ReadWords['problems'] }): ReactNode {
  const text = useText();
  const more = problems.length - MOST_NAMED;
  return (
    <div className={parts['note']} data-tone="bad">
      <div>
        <p>
          <Glyph name="warning" /> {text('words.import.problems')}
        </p>
        <ul>
          {problems.slice(0, MOST_NAMED).map(({ row, kind, text: value }) => (
            <li key={row}>{text(`words.import.problem.${kind}`, { row, value })}</li>
          ))}
          {more > 0 && <li>{text('words.import.more', { count: more })}</li>}
        </ul>
      </div>
    </div>
  );
}
