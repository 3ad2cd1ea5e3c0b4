/** Maps the ledger's refusals to the failures that a caller may see (D5, D13). */
import {
  BlindReviewClosedError,
  NotASecondPersonError,
  UnknownBlindReviewError,
} from '../../../agent/ledger/review/blind-reviews.ts';
import { JournalUnavailableError } from '../../../agent/ledger/journal/journal.ts';
import { LedgerFullError } from '../../../agent/ledger/storage/errors.ts';
import { ledgerAnswer } from '../../../agent/ledger/storage/fault-answers.ts';
import { LogNotWholeError } from '../../../agent/ledger/audit/log-tree.ts';
import { DossierError, DossierTooLargeError, NothingToTellError } from '../../../agent/ledger/dossier/errors.ts';
import {
  InspectionQueryError,
  InspectionStateError,
  NothingFoundError,
  UnknownInspectionError,
  UnknownPersonError,
} from '../../../agent/ledger/inspection/errors.ts';
import { NoHitError } from '../../../agent/ledger/review/dismissed-hits.ts';
import { DraftMovedOnError, UnknownDraftError } from '../../../agent/ledger/review/drafts.ts';
import { TooManyViewsError, UnknownViewError } from '../../../agent/ledger/accounts/saved-views.ts';
import {
  MemberMovedOnError,
  MemberStateError,
  UnknownMemberError,
} from '../../../agent/ledger/accounts/member-changes.ts';
import {
  MoveNotAllowedError,
  UnknownExplanationError,
  VersionMismatchError,
} from '../../../agent/ledger/explanations/transitions.ts';
import {
  PolicyChangeError,
  UnknownNoticeError,
  UnknownWordError,
  WordExistsError,
} from '../../../agent/ledger/policy/changes.ts';
import { TooManyProposalsError, UnknownProposalError } from '../../../agent/ledger/policy/proposals.ts';
import { PolicyMovedOnError } from '../../../agent/ledger/policy/versions.ts';
import {
  ApprovalNumbersClosedError,
  ApprovalSettingMovedOnError,
  NextNumberError,
} from '../../../agent/ledger/serving/approval.ts';
import { ScopeMovedOnError, SwitchStateError, UnknownScopeKeyError } from '../../../agent/ledger/serving/scope.ts';
import { InstantAheadError } from '../../../agent/ledger/shown/shown-at.ts';
import { RecordNotWholeError, UnknownTickerError } from '../../../agent/ledger/shown/errors.ts';
import { RecipientError } from '../../../agent/ledger/review/hand-overs.ts';
import { OpinionAwaitedError } from '../../../agent/ledger/review/open-opinions.ts';
import { TargetMovedOnError } from '../../../agent/ledger/review/target.ts';
import { SettingMovedOnError } from '../../../agent/ledger/accounts/second-factors.ts';
import { NotSampledError } from '../../../agent/ledger/review/samples.ts';
import { OpinionStateError, UnknownOpinionError } from '../../../agent/ledger/review/second-opinions.ts';
import { HistoryMismatchError } from '../../../agent/ledger/explanations/history-mismatch.ts';
import { SecondPersonNeededError } from '../../../agent/ledger/policy/second-person.ts';
import { codeOf } from '../../../shared/service/error-code.ts';
import { ApiError, type FailureCode } from '../../../shared/wire/envelope.ts';

/** The failure to answer, or the error itself if a caller may not see it. */
export function answerable(error: unknown): unknown {
  if (error instanceof UnknownExplanationError) return new ApiError('COMMON404');
  if (error instanceof MoveNotAllowedError) return stale('COMMON409', error);
  if (error instanceof VersionMismatchError) return stale('COMMON412', error);
  if (
    error instanceof UnknownMemberError ||
    error instanceof UnknownScopeKeyError ||
    error instanceof UnknownWordError ||
    error instanceof UnknownNoticeError ||
    error instanceof UnknownProposalError ||
    error instanceof UnknownBlindReviewError ||
    error instanceof UnknownOpinionError ||
    error instanceof UnknownDraftError ||
    error instanceof UnknownViewError ||
    error instanceof UnknownInspectionError ||
    error instanceof UnknownPersonError ||
    error instanceof NothingFoundError
  )
    return new ApiError('COMMON404', error.message);
  // Names the row, so that a screen can link to it.
  if (error instanceof WordExistsError)
    return new ApiError('COMMON409', error.message, [{ path: `words.${error.word.id}`, message: error.word.word }]);
  if (error instanceof MemberStateError)
    return new ApiError('COMMON409', error.message, error.field === null ? undefined : [error.field]);
  if (
    error instanceof PolicyChangeError ||
    error instanceof TooManyProposalsError ||
    error instanceof TooManyViewsError ||
    error instanceof NotSampledError ||
    error instanceof BlindReviewClosedError ||
    error instanceof NotASecondPersonError ||
    error instanceof NoHitError ||
    error instanceof OpinionStateError ||
    error instanceof RecipientError ||
    error instanceof InspectionStateError
  )
    return new ApiError('COMMON409', error.message);
  if (error instanceof SecondPersonNeededError) return new ApiError('REVIEW4095', error.message);
  if (error instanceof HistoryMismatchError) return new ApiError('REVIEW4099', error.message);
  if (error instanceof ApprovalNumbersClosedError) return new ApiError('REVIEW4097', error.message);
  if (error instanceof NextNumberError)
    return new ApiError('COMMON409', error.message, [{ path: 'body.next', message: String(error.least) }]);
  if (error instanceof OpinionAwaitedError)
    return new ApiError('COMMON409', error.message, [
      { path: 'body.withoutOpinion', message: String(error.opinionId) },
    ]);
  if (error instanceof DraftMovedOnError)
    return new ApiError('COMMON412', error.message, [{ path: 'draftVersion', message: String(error.version) }]);
  if (
    error instanceof MemberMovedOnError ||
    error instanceof ScopeMovedOnError ||
    error instanceof TargetMovedOnError ||
    error instanceof ApprovalSettingMovedOnError ||
    error instanceof SettingMovedOnError ||
    error instanceof PolicyMovedOnError
  )
    return new ApiError('COMMON412', error.message, [{ path: 'version', message: String(error.version) }]);
  if (error instanceof NothingToTellError) return new ApiError('COMMON404', error.message);
  if (error instanceof DossierTooLargeError || error instanceof InspectionQueryError)
    return new ApiError('COMMON400', error.message);
  if (error instanceof DossierError || error instanceof LogNotWholeError)
    return new ApiError('COMMON409', error.message);
  if (error instanceof SwitchStateError) return new ApiError('SCOPE4091', error.message);
  if (error instanceof InstantAheadError) return new ApiError('SHOWN4001', error.message);
  if (error instanceof UnknownTickerError) return new ApiError('SHOWN4041', error.message);
  if (error instanceof RecordNotWholeError) return new ApiError('SHOWN4091', error.message);
  // Files of an inspector's request lie on the disk of the ledger.
  const fault = codeOf(error) === 'ENOSPC' ? new LedgerFullError('', 'ENOSPC') : error;
  if (error instanceof JournalUnavailableError) return new ApiError('COMMON503', error.message);
  return ledgerAnswer(fault) ?? error;
}

/** Carries the present state and version, so that a screen can show the other user's change. */
function stale(code: FailureCode, error: MoveNotAllowedError | VersionMismatchError): ApiError {
  return new ApiError(code, error.message, [
    { path: 'status', message: error.status },
    { path: 'version', message: String(error.version) },
  ]);
}
