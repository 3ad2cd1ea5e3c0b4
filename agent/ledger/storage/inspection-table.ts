/** The table of an inspector's requests as a type. */
import type { AuditLanguage } from '../../../shared/wire/console/audit-words.ts';
import type { InspectionForm, InspectionState, InspectionStop } from '../../../shared/wire/console/constants.ts';

/** A request of an inspector (D174). `query` and `outcomes` are JSON. */
export interface InspectionRequestTable {
  id: string;
  form: InspectionForm;
  language: AuditLanguage;
  query: string;
  total: number;
  outcomes: string;
  asked_by_id: string;
  asked_by: string;
  asked_at: string;
  for_id: string;
  state: InspectionState;
  stop: InspectionStop | null;
  message: string | null;
  ended_at: string | null;
  bytes: number | null;
  sha256: string | null;
  kept_until: string | null;
}
