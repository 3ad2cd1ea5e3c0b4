/**
 * What a word and a policy catch, beside the form and before anything is published: the parts of the typed word with
 * examples, and a sentence tried under the draft and under the policy in force.
 */
import { Textarea } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { ErrorState } from '../../../shared/ui/parts/data-state.tsx';
import { Glyph } from '../../../shared/ui/parts/glyphs.tsx';
import type { PolicyDraft, Trial, WordExample, WordHit } from '../../../shared/wire/console/console.ts';
import { isBlank } from '../../../shared/wire/invisible.ts';
import { useConsole } from '../../api/console-context.tsx';
import { useText } from '../../i18n/use-text.ts';
import parts from '../../components/parts/parts.module.css';
import { HitList, MarkedText, numberHits } from '../../components/texts/marked-text.tsx';
import { existingWord } from './existing-word.ts';
import classes from './policy.module.css';

/** The time without typing after which the server is asked. */
const PAUSE_MS = 300;

type NewWord = NonNullable<PolicyDraft['addWords']>[number];

/** @param draft the typed change; null while a field is invalid. `word` is the one word that it is about, if it is one. */
export function Teaching({ draft, word }: { draft: PolicyDraft | null; word: NewWord | null }): ReactNode {
  const text = useText();
  return (
    <details className={classes['teaching']}>
      <summary>{text('policy.teaching')}</summary>
      <div className={classes['teachingParts']}>
        <TrySentence draft={draft} />
        {word !== null && <WordExamples word={word} />}
      </div>
    </details>
  );
}

/** An answer with the sentence that it is about: while the next one is on its way, this one stays. */
interface TriedText extends Trial {
  sentence: string;
  /** The typed word, where the policy has it already. */
  existing: string | null;
}

function TrySentence({ draft }: { draft: PolicyDraft | null }): ReactNode {
  const text = useText();
  const { api } = useConsole();
  const [sentence, setSentence] = useState('');
  const [asked] = useDebouncedValue({ ...draft, text: sentence }, PAUSE_MS);
  const trial = useQuery({
    queryKey: ['policy-trial', asked],
    queryFn: async ({ signal }): Promise<TriedText> => {
      const { text: sentence } = asked;
      try {
        return { ...(await api.tryText(asked, signal)), sentence, existing: null };
      } catch (error) {
        const existing = existingWord(error);
        if (existing === null) throw error;
        // The word is in the policy already, and the sentence is read under that.
        return { ...(await api.tryText({ text: sentence }, signal)), sentence, existing };
      }
    },
    enabled: !isBlank(asked.text),
    placeholderData: keepPreviousData,
  });
  const shown = isBlank(sentence) ? undefined : trial.data;
  return (
    <section aria-label={text('policy.try')}>
      <Textarea
        label={text('policy.try')}
        description={text('policy.try.how')}
        value={sentence}
        maxLength={2_000}
        autosize
        minRows={2}
        lang="ko"
        spellCheck={false}
        onChange={(event) => setSentence(event.currentTarget.value)}
      />
      {trial.isError && !isBlank(sentence) && <ErrorState error={trial.error} onRetry={() => void trial.refetch()} />}
      {shown !== undefined && (
        <div role="status" className={classes['teachingParts']}>
          {shown.existing === null ? (
            <Tried label={text('policy.try.draft')} sentence={shown.sentence} hits={shown.draft} />
          ) : (
            <p className={parts['note']} data-tone="bad">
              <Glyph name="warning" /> {text('policy.word.exists', { word: shown.existing })}
            </p>
          )}
          <Tried label={text('policy.try.inForce')} sentence={shown.sentence} hits={shown.inForce} />
        </div>
      )}
    </section>
  );
}

function Tried({ label, sentence, hits }: { label: string; sentence: string; hits: readonly WordHit[] }): ReactNode {
  const text = useText();
  const numbered = numberHits(hits);
  return (
    <div>
      <h4>{label}</h4>
      <MarkedText text={sentence} hits={numbered} figures={[]} />
      {numbered.length === 0 ? (
        <p className={parts['quiet']}>{text('policy.try.nothing')}</p>
      ) : (
        <HitList hits={numbered} />
      )}
    </div>
  );
}

function WordExamples({ word }: { word: NewWord }): ReactNode {
  const text = useText();
  const { api } = useConsole();
  const [asked] = useDebouncedValue(word, PAUSE_MS);
  const { data } = useQuery({
    queryKey: ['word-examples', asked],
    queryFn: ({ signal }) => api.wordExamples(asked, signal),
    placeholderData: keepPreviousData,
  });
  if (data === undefined) return null;
  const caught = data.examples.filter(({ hits }) => hits.length > 0);
  const passed = data.examples.filter(({ hits }) => hits.length === 0);
  return (
    <section aria-label={text('policy.examples')}>
      <p>
        {data.parts.length === 0
          ? text('policy.examples.letters')
          : text('policy.examples.parts', { parts: data.parts.map((part) => `“${part}”`).join(' · ') })}
      </p>
      <Examples label={text('policy.examples.caught')} examples={caught} />
      <Examples label={text('policy.examples.passed')} examples={passed} />
    </section>
  );
}

function Examples({ label, examples }: { label: string; examples: readonly WordExample[] }): ReactNode {
  const text = useText();
  if (examples.length === 0) return null;
  return (
    <>
      <h4>{label}</h4>
      <ul className={classes['examples']}>
        {examples.map(({ text: sentence, origin, hits }) => (
          <li key={sentence}>
            <Glyph name={hits.length > 0 ? 'warning' : 'tick'} /> <span lang="ko">{sentence}</span>{' '}
            <span className={parts['quiet']}>
              {hits.length > 0 && `${text(`severity.${hits.some(isBlock) ? 'BLOCK' : 'REVIEW'}`)} · `}
              {text(`policy.examples.${origin}`)}
            </span>
          </li>
        ))}
      </ul>
    </>
  );
}

const isBlock = ({ severity }: WordHit): boolean => severity === 'BLOCK';
