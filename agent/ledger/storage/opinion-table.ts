/** The table of second opinions as a type. */
import type { Generated } from 'kysely';
import type { Opinion } from '../../../shared/wire/console/console.ts';

/** A second opinion that a reviewer has asked the others for; ended at most once, and never taken off the record. */
export interface SecondOpinionTable {
  id: Generated<number>;
  explanation_id: string;
  /** The last row of the state history before it. */
  after_move: number;
  asked_by_id: string;
  asked_by: string;
  asked_at: string;
  question: string;
  outcome: 'OPEN' | 'GIVEN' | 'WITHDRAWN' | 'OVERTAKEN';
  ended_by_id: string | null;
  ended_by: string | null;
  ended_at: string | null;
  opinion: Opinion | null;
  answer: string | null;
}
