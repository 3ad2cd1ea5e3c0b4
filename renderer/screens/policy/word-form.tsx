import { Checkbox, NativeSelect, Textarea, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import {
  MOST_APART,
  LONGEST_REPLACEMENT,
  MOST_REPLACEMENTS,
  REASON_CODES,
  USUALLY_APART,
  type ForbiddenWord,
  type PolicyDraft,
  type ReasonCode,
} from '../../../shared/wire/console/console.ts';
import { isBlank } from '../../../shared/wire/invisible.ts';
import { Tag } from '../../../shared/ui/parts/badge.tsx';
import { useText } from '../../i18n/use-text.ts';
import parts from '../../components/parts/parts.module.css';
import {
  exceptedBy,
  holdsWord,
  LONGEST,
  problemsOf,
  readExceptions,
  readList,
  writeExceptions,
  type TypedExceptions,
} from './exceptions.ts';
import { ListProblems, RuleForm, SeveritySelect } from './fields.tsx';
import classes from './policy.module.css';
import { Exceptions } from './treatment.tsx';

/** Characters of a list in the field: some hundred words. */
const LONGEST_LIST = 10_000;

/** The typed word; `changed` is the existing word, null for a new one. */
export interface TypedWord extends TypedExceptions {
  changed: ForbiddenWord | null;
  word: string;
  /** Whether a list in the field is several words. */
  several: boolean;
  severity: 'BLOCK' | 'REVIEW';
  reason: ReasonCode | null;
  /** Most words between its parts; null: by its letters alone. */
  apart: number | null;
  /** One phrase per line. */
  replacing: string;
}

export const NEW_WORD: TypedWord = {
  changed: null,
  word: '',
  several: true,
  severity: 'REVIEW',
  reason: null,
  apart: USUALLY_APART,
  passing: '',
  reviewing: '',
  replacing: '',
};

export function typedOf(changed: ForbiddenWord): TypedWord {
  const { word, severity, reason = null, exceptions, apart = USUALLY_APART, replacements = [] } = changed;
  const replacing = replacements.join('\n');
  return { changed, word, several: false, severity, reason, apart, ...writeExceptions(exceptions), replacing };
}

/** The typed change; null while a field is invalid. */
export function draftOf(typed: TypedWord): PolicyDraft | null {
  const { changed, severity, reason, apart } = typed;
  const words = wordsOf(typed);
  const exceptions = readExceptions(typed);
  const replacements = readPhrases(typed.replacing);
  if (problemOf(typed) !== null || phraseProblem(replacements) !== null) return null;
  if (problemsOf(exceptions.map(({ text }) => text)).length > 0) return null;
  const isUsual = apart === USUALLY_APART && changed?.apart === undefined;
  const treatment = {
    severity,
    exceptions,
    ...(reason === null ? {} : { reason }),
    ...(isUsual ? {} : { apart }),
    // An empty list takes away what there was.
    ...(replacements.length === 0 && changed?.replacements === undefined ? {} : { replacements }),
  };
  return changed === null
    ? { addWords: words.map((word) => ({ word, ...treatment })) }
    : { changeWords: [{ id: changed.id, ...treatment }] };
}

/** The first typed word as a new one would be registered; null while a field is invalid. */
export function wordOf(typed: TypedWord): NonNullable<PolicyDraft['addWords']>[number] | null {
  return draftOf({ ...typed, changed: null })?.addWords?.[0] ?? null;
}

/** The words that the field means. */
function wordsOf({ word, several, changed }: TypedWord): string[] {
  const list = readList(word);
  return several && changed === null && list.length > 1 ? list : [word.trim()];
}

function problemOf(typed: TypedWord): 'missing' | 'invisible' | 'long' | null {
  const words = wordsOf(typed);
  if (words.includes('')) return 'missing';
  if (words.some(isBlank)) return 'invisible';
  return words.some((word) => word.length > LONGEST) ? 'long' : null;
}

/** A comma belongs to a phrase. */
const readPhrases = (typed: string): string[] =>
  typed
    .split(/[\n\r]+/u)
    .map((one) => one.trim())
    .filter((one) => one !== '');

/** Why the API would refuse the phrases. */
function phraseProblem(
  phrases: readonly string[],
): { kind: 'MANY' | 'LONG' | 'TWICE'; most: number; phrase: string } | null {
  if (phrases.length > MOST_REPLACEMENTS) return { kind: 'MANY', most: MOST_REPLACEMENTS, phrase: '' };
  const long = phrases.find((one) => one.length > LONGEST_REPLACEMENT);
  if (long !== undefined) return { kind: 'LONG', most: LONGEST_REPLACEMENT, phrase: `${long.slice(0, 20)}…` };
  const twice = phrases.find((one, at) => phrases.indexOf(one) !== at);
  return twice === undefined ? null : { kind: 'TWICE', most: MOST_REPLACEMENTS, phrase: twice };
}

export interface WordFormProps {
  typed: TypedWord;
  /** Every word of the policy. */
  words: readonly ForbiddenWord[];
  onChange: (typed: TypedWord) => void;
  onPreview: (draft: PolicyDraft) => void;
  /** Stops changing a word and starts a new one. */
  onLetGo: () => void;
  /** Whether a preview was requested with a field missing. */
  isRefused: boolean;
  onRefused: () => void;
}

/** Registers a word, or changes its severity and exceptions. The typed text is shown as it will be parsed. */
export function WordForm({
  typed,
  words,
  onChange,
  onPreview,
  onLetGo,
  isRefused,
  onRefused,
}: WordFormProps): ReactNode {
  const text = useText();
  const { changed } = typed;
  const exceptions = readExceptions(typed);
  const problems = problemsOf(exceptions.map((one) => one.text));
  const problem = problemOf(typed);
  const meant = wordsOf(typed);
  const isList = changed === null && readList(typed.word).length > 1;
  const apart = exceptions.filter((one) => one.becomes === 'CLEAR' && !meant.some((word) => holdsWord(word, one.text)));
  const excepted = changed === null ? exceptedBy(words, meant) : [];
  const phrases = phraseProblem(readPhrases(typed.replacing));
  const label = changed === null ? text('policy.register') : text('policy.word.changeNamed', { word: changed.word });
  return (
    <RuleForm
      label={label}
      changedId={changed?.id ?? null}
      onPreview={() => {
        const draft = draftOf(typed);
        if (draft === null) onRefused();
        else onPreview(draft);
      }}
      onLetGo={onLetGo}
    >
      <TextInput
        label={text('policy.word')}
        value={typed.word}
        maxLength={changed === null ? LONGEST_LIST : LONGEST}
        lang="ko"
        spellCheck={false}
        readOnly={changed !== null}
        error={isRefused && problem !== null ? text(`policy.word.${problem}`) : null}
        onChange={(event) => onChange({ ...typed, word: event.currentTarget.value })}
        onPaste={(event) => {
          // A field of one line would join the lines of a list to one word.
          const pasted = event.clipboardData.getData('text');
          const list = readList(pasted);
          if (changed !== null || list.length < 2 || !/[\r\n]/.test(pasted)) return;
          event.preventDefault();
          onChange({ ...typed, word: [typed.word.trim(), ...list].filter((one) => one !== '').join(', ') });
        }}
      />
      <SeveritySelect
        label={text('policy.severity')}
        value={typed.severity}
        onChange={(severity) => onChange({ ...typed, severity })}
      />
      <NativeSelect
        label={text('policy.word.reason')}
        value={typed.reason ?? ''}
        data={[
          ...(changed?.reason === undefined ? [{ value: '', label: text('policy.word.reason.none') }] : []),
          ...REASON_CODES.map((code) => ({ value: code, label: text(`reason.${code}`) })),
        ]}
        onChange={(event) =>
          onChange({ ...typed, reason: REASON_CODES.find((code) => code === event.currentTarget.value) ?? null })
        }
      />
      <NativeSelect
        label={text('policy.word.apart')}
        value={String(typed.apart)}
        data={[
          ...Array.from({ length: MOST_APART + 1 }, (_, count) => ({
            value: String(count),
            label: text('policy.word.apart.words', { count }),
          })),
          { value: 'null', label: text('policy.word.apart.letters') },
        ]}
        onChange={({ currentTarget: { value } }) =>
          onChange({ ...typed, apart: value === 'null' ? null : Number(value) })
        }
      />
      <Textarea
        label={text('policy.exceptions.CLEAR')}
        description={text('policy.list.how')}
        lang="ko"
        rows={2}
        autosize={false}
        spellCheck={false}
        value={typed.passing}
        onChange={(event) => onChange({ ...typed, passing: event.currentTarget.value })}
      />
      <Textarea
        label={text('policy.exceptions.REVIEW')}
        description={text('policy.list.how')}
        lang="ko"
        rows={2}
        autosize={false}
        spellCheck={false}
        value={typed.reviewing}
        onChange={(event) => onChange({ ...typed, reviewing: event.currentTarget.value })}
      />
      <Textarea
        label={text('replacement.field')}
        description={text('replacement.how', { most: MOST_REPLACEMENTS })}
        lang="ko"
        rows={2}
        autosize={false}
        spellCheck={false}
        value={typed.replacing}
        error={phrases === null ? null : text(`replacement.problem.${phrases.kind}`, phrases)}
        onChange={(event) => onChange({ ...typed, replacing: event.currentTarget.value })}
      />
      <div className={classes['asRead']} role="status">
        {isList && (
          <Checkbox
            label={text('policy.word.several', { count: readList(typed.word).length })}
            checked={typed.several}
            onChange={(event) => onChange({ ...typed, several: event.currentTarget.checked })}
          />
        )}
        {isList && typed.several && (
          <span className={classes['exceptions']} lang="ko">
            {meant.map((word, n) => (
              <Tag key={n}>{word}</Tag>
            ))}
          </span>
        )}
        {excepted.map(({ word, of, becomes }) => (
          <p key={`${word} ${of}`} className={parts['note']} data-tone="wait">
            {text(`policy.word.excepted.${becomes}`, { word, of })}
          </p>
        ))}
        {exceptions.length > 0 && (
          <>
            <p className={classes['quiet']}>{text('policy.exceptions.asRead', { count: exceptions.length })}</p>
            <Exceptions word={meant[0] ?? ''} exceptions={exceptions} />
          </>
        )}
        <ListProblems field={text('policy.exceptions')} problems={problems} />
        {typed.word.trim() !== '' && apart.length > 0 && (
          <p className={parts['note']} data-tone="wait">
            {text('policy.exception.warning', { exceptions: apart.map((one) => `“${one.text}”`).join(', ') })}
          </p>
        )}
      </div>
    </RuleForm>
  );
}
