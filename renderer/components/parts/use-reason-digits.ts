import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { ReasonCode } from '../../../shared/wire/console/console.ts';
import { readReasonDigits } from '../../../shared/wire/console/reason-digits.ts';
import { useConsole } from '../../api/console-context.tsx';

/** The reasons to which the policy in force gives a digit, in that order; null: each form has its own (D237). */
export function useReasonDigits(): readonly ReasonCode[] | null {
  const { queries } = useConsole();
  const value = useQuery(queries.policy).data?.criteria?.reasonDigits ?? null;
  return useMemo(() => (value === null ? null : readReasonDigits(value)), [value]);
}
