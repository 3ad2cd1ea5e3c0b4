import type { ReactNode } from 'react';
import type { PolicyChange, RequiredNotice } from '../../../shared/wire/console/console.ts';
import { readReasonDigits } from '../../../shared/wire/console/reason-digits.ts';
import { DiffView } from '../../../shared/ui/text/diff-view.tsx';
import { useText } from '../../i18n/use-text.ts';
import { NoticeTerms, Treatment } from './treatment.tsx';
import classes from './policy.module.css';

/** More changes lie in a frame that scrolls, so that their effects stay in reach. */
const MOST_UNFOLDED = 20;

/** The changes of a version against the one before it, one per line. */
export function PolicyChanges({ changes }: { changes: readonly PolicyChange[] }): ReactNode {
  const text = useText();
  if (changes.length === 0) return <p className={classes['quiet']}>{text('policy.change.none')}</p>;
  const list = (
    <ul className={classes['changes']}>
      {changes.map((change, index) => (
        <li key={index}>
          <Change change={change} />
        </li>
      ))}
    </ul>
  );
  if (changes.length <= MOST_UNFOLDED) return list;
  const count = text('policy.changes.count', { count: changes.length });
  return (
    <>
      <p className={classes['quiet']}>{count}</p>
      <section className={classes['manyChanges']} aria-label={count} tabIndex={0}>
        {list}
      </section>
    </>
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
      return (
        <>
          <ChangedThing change={change} />
          {change.kind === 'WORD_CHANGED' && change.from !== undefined && (
            <>
              <Treatment word={change.word} treated={change.from} /> →{' '}
            </>
          )}
          <Treatment word={change.word} treated={change} />
        </>
      );
    case 'NOTICE':
      return (
        <>
          <ChangedThing change={change} />
          {change.from !== null && change.to !== null && (
            <>
              <NoticeTerms notice={change.from} /> →{' '}
            </>
          )}
          {(change.to ?? change.from) !== null && <NoticeTerms notice={(change.to ?? change.from) as RequiredNotice} />}
        </>
      );
    case 'CRITERION':
      return (
        <>
          <CriterionName criterion={change.criterion} />: <Value value={change.from} /> → <Value value={change.to} />
        </>
      );
    case 'DISCLAIMER':
      return <DiffView before={change.from} after={change.to} />;
    case 'RESTORED':
      return text('policy.change.RESTORED', { version: change.version });
    case 'NOTE':
      return (
        <>
          {text('policy.reason')}: <span lang="ko">{change.text}</span>
        </>
      );
  }
}

/** The subject of a change, and its effect. */
export function ChangedThing({ change }: { change: PolicyChange }): ReactNode {
  const text = useText();
  switch (change.kind) {
    case 'WORD_ADDED':
    case 'WORD_REMOVED':
    case 'WORD_CHANGED':
    case 'WORD_SWITCHED_ON':
    case 'WORD_SWITCHED_OFF':
      return <p>{text(`policy.change.${change.kind}`, { word: change.word })}</p>;
    case 'NOTICE': {
      const { from, to } = change;
      const kind = from === null ? 'ADDED' : to === null ? 'REMOVED' : 'CHANGED';
      return <p>{text(`policy.change.NOTICE_${kind}`, { name: (to ?? from)?.name ?? '' })}</p>;
    }
    case 'CRITERION':
      return <CriterionName criterion={change.criterion} />;
    case 'DISCLAIMER':
      return text('policy.disclaimer');
    default:
      return null;
  }
}

const CRITERIA = [
  'autoProvision',
  'minSources',
  'minConfidence',
  'uncertainToReview',
  'suspectToReview',
  'insidePasses',
  'fourEyes',
  'sampleShare',
  'blindShare',
  'holdSeconds',
  'expiresAt',
  'reasonDigits',
] as const;

export function CriterionName({ criterion }: { criterion: string }): ReactNode {
  const text = useText();
  const known = CRITERIA.find((one) => one === criterion);
  return known === undefined ? <code>{criterion}</code> : text(`criterion.${known}`);
}

const COUNTS = ['words', 'notices', 'active', 'blocking'] as const;

/** One parameter of a check: a criterion, or a count of its words or notices. */
export function RuleParameter({
  name,
  value,
  ofNotices,
}: {
  name: string;
  value: string | number | boolean;
  ofNotices: boolean;
}): ReactNode {
  const text = useText();
  const count = COUNTS.find((one) => one === name);
  return (
    <li>
      {count === undefined ? (
        <CriterionName criterion={name} />
      ) : (
        text(count === 'blocking' && ofNotices ? 'policy.count.blockingNotices' : `policy.count.${count}`)
      )}
      : <Value value={value} />
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
  const reasons = typeof value === 'string' ? readReasonDigits(value) : null;
  if (reasons !== null) return reasons.map((code, index) => `${index + 1} ${text(`reason.${code}`)}`).join(', ');
  return level === undefined ? String(value) : text(`confidence.${level}`);
}
