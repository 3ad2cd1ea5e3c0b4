/**
 * How a policy treats a word and what a notice requires, the same in lists, previews, proposals, versions and
 * comparisons.
 */
import type { ReactNode } from 'react';
import { Tag } from '../../../shared/ui/parts/badge.tsx';
import type { PolicyChange, RequiredNotice, WordException } from '../../../shared/wire/console/console.ts';
import { useText } from '../../i18n/use-text.ts';
import { holdsWord } from './exceptions.ts';
import classes from './policy.module.css';

export function SeverityTag({ severity }: { severity: 'BLOCK' | 'REVIEW' }): ReactNode {
  const text = useText();
  return (
    <Tag tone={severity === 'BLOCK' ? 'bad' : 'wait'} glyph={severity === 'BLOCK' ? 'blocked' : 'warning'}>
      {text(`severity.${severity}`)}
    </Tag>
  );
}

export function StateTag({ active }: { active: boolean }): ReactNode {
  const text = useText();
  return (
    <Tag tone={active ? 'good' : 'neutral'} glyph={active ? 'tick' : 'cross'}>
      {text(active ? 'value.on' : 'value.off')}
    </Tag>
  );
}

/** Exceptions in the screened language, with their effect in the screen's language. */
export function Exceptions({ word, exceptions }: { word: string; exceptions: readonly WordException[] }): ReactNode {
  const text = useText();
  return (
    <span className={classes['exceptions']}>
      {exceptions.map(({ text: exception, becomes }) => (
        <Tag key={`${becomes} ${exception}`} tone={becomes === 'CLEAR' ? 'good' : 'wait'}>
          <span lang="ko">{exception}</span> · {text(`policy.becomes.${becomes}`)}
          {!holdsWord(word, exception) && ` · ${text(`policy.exception.apart.${becomes}`)}`}
        </Tag>
      ))}
    </span>
  );
}

type Treated = Pick<
  Extract<PolicyChange, { kind: 'WORD_CHANGED' }>,
  'severity' | 'reason' | 'exceptions' | 'apart' | 'replacements'
>;

/** The treatment of a word: severity, its reason, every exception. */
export function Treatment({ word, treated }: { word: string; treated: Treated }): ReactNode {
  const text = useText();
  const { severity, reason, exceptions, apart, replacements } = treated;
  return (
    <span className={classes['exceptions']}>
      <SeverityTag severity={severity} />
      {reason !== undefined && <Tag>{text(`reason.${reason}`)}</Tag>}
      {apart !== undefined && (
        <Tag>
          {apart === null ? text('policy.word.apart.letters') : text('policy.word.apart.words', { count: apart })}
        </Tag>
      )}
      {exceptions.length === 0 ? (
        <span className={classes['quiet']}>{text('policy.exceptions.none')}</span>
      ) : (
        <Exceptions word={word} exceptions={exceptions} />
      )}
      {replacements !== undefined && (
        <span lang="ko">
          {text('replacement.named', { phrases: replacements.map((one) => `“${one}”`).join(', ') })}
        </span>
      )}
    </span>
  );
}

/** The requirement of a notice: one of its terms, in every text or in texts with certain words. */
export function NoticeTerms({ notice }: { notice: RequiredNotice }): ReactNode {
  const text = useText();
  return (
    <span className={classes['exceptions']}>
      <SeverityTag severity={notice.severity} />
      <StateTag active={notice.active} />
      <span>{text('notice.terms')}:</span>
      <Terms terms={notice.terms} />
      {notice.onlyWith.length === 0 ? (
        <span className={classes['quiet']}>{text('notice.always')}</span>
      ) : (
        <>
          <span>{text('notice.onlyWith')}:</span>
          <Terms terms={notice.onlyWith} />
        </>
      )}
    </span>
  );
}

export function Terms({ terms }: { terms: readonly string[] }): ReactNode {
  return (
    <span className={classes['exceptions']}>
      {terms.map((term) => (
        <Tag key={term}>
          <span lang="ko">{term}</span>
        </Tag>
      ))}
    </span>
  );
}
