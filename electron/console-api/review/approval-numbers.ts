/** The firm's approval numbers and the validity of an approval (D211). */
import { z } from 'zod';
import { approvalNumbering, setApprovalNumbering } from '../../../agent/ledger/serving/approval.ts';
import {
  HIGHEST_NUMBER,
  LONGEST_PATTERN,
  MOST_VALID_DAYS,
  patternFault,
  type PatternFault,
} from '../../../shared/wire/approval-pattern.ts';
import { approvalNumberingSchema } from '../../../shared/wire/console/approval-numbers.ts';
import type { ApprovalNumbering } from '../../../shared/wire/console/console.ts';
import { actorOf } from '../context/context.ts';
import { endpoint } from '../http/endpoint.ts';

const FAULTS: Readonly<Record<PatternFault, string>> = {
  TOO_LONG: `must have at most ${LONGEST_PATTERN} characters`,
  CHARACTERS: 'must be one line of visible characters, without white space at its ends',
  PART: 'may hold in braces {YYYY}, {YY}, {MM}, {SEQ} and {SEQ:1} to {SEQ:9} alone',
  MONTH_ALONE: 'must hold {YYYY} or {YY} beside {MM}',
  NO_NUMBER: 'must hold the running number, as {SEQ} or {SEQ:5}',
  MORE_NUMBERS: 'must hold the running number once',
};

const pattern = z
  .string()
  .transform((text) => text.normalize('NFC'))
  .superRefine((text, context) => {
    const fault = patternFault(text);
    if (fault !== null) context.addIssue({ code: 'custom', message: FAULTS[fault] });
  })
  .meta({ type: 'string', maxLength: LONGEST_PATTERN, examples: ['준법감시인 심사필 제{YYYY}-{SEQ:5}호'] });

const body = z
  .strictObject({
    pattern: pattern.nullable(),
    validDays: z.int().min(1).max(MOST_VALID_DAYS).nullable(),
    next: z.int().min(1).max(HIGHEST_NUMBER).optional(),
  })
  .refine(({ pattern: given, next }) => given !== null || next === undefined, {
    path: ['next'],
    message: 'belongs to a pattern',
  });

export const approvalNumberHandlers = {
  'GET /api/v1/review/approval-numbers': endpoint({
    summary: 'The pattern of approval numbers, and how long an approval is valid',
    result: approvalNumberingSchema,
    etag: 'version',
    handle: ({ context }): ApprovalNumbering =>
      context.ledger.read((reader) => approvalNumbering(reader, context.clock.now())),
  }),
  'PUT /api/v1/review/approval-numbers': endpoint({
    summary:
      'Set pattern and validity for the approvals that follow; a new series, and any after a restore, needs `next`',
    body,
    ifMatch: true,
    result: approvalNumberingSchema,
    etag: 'version',
    handle: ({ body: change, caller, context, expected, write }): Promise<ApprovalNumbering> => {
      return write((tx) => {
        const now = context.clock.now();
        setApprovalNumbering(tx, change, { actor: actorOf(caller), at: now.toISOString(), ...expected });
        return approvalNumbering(tx, now);
      });
    },
  }),
};
