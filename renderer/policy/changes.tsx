import type { ReactNode } from 'react';
import type { PolicyChange } from '../../shared/wire/console.ts';
import { DiffView } from '../../shared/ui/text/diff-view.tsx';
import { useText } from '../i18n/use-text.ts';
import classes from './policy.module.css';

/** What a version changes against the one before it, one thing a line. */
export function PolicyChanges({ changes }: { changes: readonly PolicyChange[] }): ReactNode {
  const text = useText();
  if (changes.length === 0) return <p className={classes['quiet']}>{text('policy.change.none')}</p>;
  return (
    <ul className={classes['changes']}>
      {changes.map((change, index) => (
        <li key={index}>
          <Change change={change} />
        </li>
      ))}
    </ul>
  );
}

function Change({ change }: { change: PolicyChange }): ReactNode {
  const text = useText();
  switch (change.kind) {
    case 'FIRST':
      return text('policy.change.FIRST', { words: change.words });
    case 'WORD_ADDED':
    case 'WORD_REMOVED':
    case 'WORD_CHANGED':
    case 'WORD_SWITCHED_ON':
    case 'WORD_SWITCHED_OFF':
      return text(`policy.change.${change.kind}`, {
        word: change.word,
        severity: text(`severity.${change.severity}`),
      });
    case 'CRITERION':
      return (
        <>
          <CriterionName criterion={change.criterion} />: <Value value={change.from} /> → <Value value={change.to} />
        </>
      );
    case 'DISCLAIMER':
      return <DiffView before={change.from} after={change.to} />;
    case 'NOTICE':
      return text('policy.change.NOTICE', { name: (change.to ?? change.from)?.name ?? '' });
    case 'RESTORED':
      return text('policy.change.RESTORED', { version: change.version });
    case 'NOTE':
      return <span lang="ko">{change.text}</span>;
  }
}

const CRITERIA = [
  'autoProvision',
  'minSources',
  'minConfidence',
  'uncertainToReview',
  'fourEyes',
  'sampleShare',
  'blindShare',
  'holdSeconds',
  'expiresAt',
] as const;

export function CriterionName({ criterion }: { criterion: string }): ReactNode {
  const text = useText();
  const known = CRITERIA.find((one) => one === criterion);
  return known === undefined ? <code>{criterion}</code> : text(`criterion.${known}`);
}

const COUNTS = ['words', 'active', 'blocking'] as const;

/** One thing that a check of the policy is set up with: a criterion, or a count of its words. */
export function RuleParameter({ name, value }: { name: string; value: string | number | boolean }): ReactNode {
  const text = useText();
  const count = COUNTS.find((one) => one === name);
  return (
    <li>
      {count === undefined ? <CriterionName criterion={name} /> : text(`policy.count.${count}`)}:{' '}
      <Value value={value} />
    </li>
  );
}

const LEVELS = ['HIGH', 'MEDIUM', 'LOW'] as const;

/** A criterion's value in words. */
export function Value({ value }: { value: string | number | boolean | null }): ReactNode {
  const text = useText();
  if (value === null) return text('value.off');
  if (typeof value === 'boolean') return text(value ? 'value.on' : 'value.off');
  const level = LEVELS.find((one) => one === value);
  return level === undefined ? String(value) : text(`confidence.${level}`);
}
