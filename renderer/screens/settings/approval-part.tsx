import { Button, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { Loaded } from '../../../shared/ui/parts/data-state.tsx';
import { Glyph } from '../../../shared/ui/parts/glyphs.tsx';
import { kstText } from '../../../shared/ui/time/format.ts';
import { messagesAbout } from '../../../shared/ui/http/request.ts';
import { useNow } from '../../../shared/ui/time/use-now.ts';
import { kstDate } from '../../../shared/time/kst.ts';
import {
  approvalNumber,
  HIGHEST_NUMBER,
  MOST_VALID_DAYS,
  patternFault,
  type PatternFault,
} from '../../../shared/wire/approval-pattern.ts';
import type { ApprovalNumbering } from '../../../shared/wire/console/console.ts';
import { useConsole } from '../../api/console-context.tsx';
import { useMay } from '../../api/session-context.ts';
import { useText } from '../../i18n/use-text.ts';
import { ChangeError } from '../../components/parts/change-error.tsx';
import parts from '../../components/parts/parts.module.css';
import { useChange } from '../../components/parts/use-change.ts';

/** Pattern of the approval numbers and validity of an approval: set by the reviewers, visible to every role. */
export function ApprovalPart(): ReactNode {
  const text = useText();
  const may = useMay();
  const { queries } = useConsole();
  return (
    <Loaded query={useQuery(queries.approvalNumbering)}>
      {(numbering) => (
        <>
          <p className={parts['quiet']}>{text('approval.note')}</p>
          {numbering.closedAt !== null && numbering.pattern !== null && (
            <p className={parts['note']} data-tone="bad">
              <Glyph name="warning" /> {text('approval.closed', { time: kstText(numbering.closedAt, 'second') ?? '' })}
            </p>
          )}
          <p>
            {numbering.pattern === null ? text('approval.none') : text('approval.now', { pattern: numbering.pattern })}
            {numbering.next !== null && <> · {text('approval.nextNow', { number: numbering.next })}</>}
          </p>
          <p>
            {numbering.validDays === null
              ? text('approval.endless')
              : text('approval.valid', { days: numbering.validDays })}
          </p>
          {may('review.approval-numbers') ? (
            <NumberingForm key={numbering.version} numbering={numbering} />
          ) : (
            <p className={parts['quiet']}>{text('approval.notYours')}</p>
          )}
        </>
      )}
    </Loaded>
  );
}

/** A whole number in a field; null where it is empty, undefined where it is none or out of bounds. */
function wholeIn(typed: string, most: number): number | null | undefined {
  if (typed.trim() === '') return null;
  const value = Number(typed);
  return Number.isInteger(value) && value >= 1 && value <= most ? value : undefined;
}

function NumberingForm({ numbering }: { numbering: ApprovalNumbering }): ReactNode {
  const text = useText();
  const { api } = useConsole();
  const now = useNow();
  const [pattern, setPattern] = useState(numbering.pattern ?? '');
  const [days, setDays] = useState(numbering.validDays === null ? '' : String(numbering.validDays));
  const [next, setNext] = useState('');
  const [isSent, setIsSent] = useState(false);
  const change = useChange(
    (asked: Parameters<typeof api.setApprovalNumbering>[0]) => api.setApprovalNumbering(asked, numbering.version),
    text('approval.done'),
  );
  const wanted = pattern === '' ? null : pattern;
  const fault = wanted === null ? null : patternFault(wanted);
  const validDays = wholeIn(days, MOST_VALID_DAYS);
  const running = wanted === null ? null : wholeIn(next, HIGHEST_NUMBER);
  const isMissing = wanted !== null && running === null && (numbering.closedAt !== null || numbering.pattern === null);
  const [least] = change.error === null ? [] : messagesAbout(change.error, 'body.next');
  const nextError =
    running === undefined || (isSent && isMissing)
      ? text('approval.nextUnfit')
      : least === undefined
        ? null
        : text('approval.nextLeast', { least });
  const faults: Record<PatternFault, string> = {
    TOO_LONG: text('approval.fault.TOO_LONG'),
    CHARACTERS: text('approval.fault.CHARACTERS'),
    PART: text('approval.fault.PART', PARTS),
    MONTH_ALONE: text('approval.fault.MONTH_ALONE', PARTS),
    NO_NUMBER: text('approval.fault.NO_NUMBER', PARTS),
    MORE_NUMBERS: text('approval.fault.MORE_NUMBERS', PARTS),
  };
  return (
    <form
      className={parts['form']}
      aria-label={text('settings.approvalNumbers')}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        setIsSent(true);
        if (fault !== null || validDays === undefined || running === undefined || isMissing || change.isPending) return;
        change.mutate({ pattern: wanted, validDays, ...(running === null ? {} : { next: running }) });
      }}
    >
      <TextInput
        label={text('approval.pattern')}
        description={text('approval.patternHelp', PARTS)}
        placeholder={text('approval.example', PARTS)}
        value={pattern}
        autoComplete="off"
        error={fault === null ? null : faults[fault]}
        onChange={(event) => setPattern(event.currentTarget.value)}
      />
      {wanted !== null && (
        <TextInput
          label={text('approval.next')}
          description={text('approval.nextHelp')}
          value={next}
          inputMode="numeric"
          autoComplete="off"
          error={nextError}
          onChange={(event) => setNext(event.currentTarget.value)}
        />
      )}
      {wanted !== null && fault === null && typeof running === 'number' && (
        <p>{text('approval.nextNow', { number: approvalNumber(wanted, kstDate(now), running) })}</p>
      )}
      <TextInput
        label={text('approval.days')}
        description={text('approval.daysHelp')}
        value={days}
        inputMode="numeric"
        autoComplete="off"
        error={validDays === undefined ? text('approval.daysUnfit', { most: MOST_VALID_DAYS }) : null}
        onChange={(event) => setDays(event.currentTarget.value)}
      />
      {least === undefined && <ChangeError error={change.error} />}
      <div className={parts['buttons']}>
        <Button type="submit" loading={change.isPending}>
          {text('approval.save')}
        </Button>
      </div>
    </form>
  );
}

/** The parts of a pattern, whose braces a message cannot hold. */
const PARTS = { year: '{YYYY}', shortYear: '{YY}', month: '{MM}', running: '{SEQ:5}' };
