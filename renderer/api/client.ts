/**
 * The console API as one function per route (console API 4). A call names a route of the policy table, so the compiler
 * refuses a path that the server does not know.
 */
import type { ConsoleRouteKey } from '../../shared/policy/console-routes.ts';
import { accountCalls } from './accounts.ts';
import { scopeCalls } from './scope.ts';
import type { Credentials } from '../../shared/ui/session/use-login.ts';
import { LONG_ANSWER_MS, type Downloader, type Requester } from '../../shared/ui/http/request.ts';
import { abortable, createCaller, type ParameterOf } from '../../shared/ui/http/routes.ts';
import type { AuditLanguage } from '../../shared/wire/console/audit-words.ts';
import type { Exposure, InspectionForm } from '../../shared/wire/console/constants.ts';
import type { InspectionQuery } from '../../shared/wire/console/inspection.ts';
import type { SavedView } from '../../shared/wire/console/saved-views.ts';
import type { SignInBegun } from '../../shared/wire/console/session.ts';
import type {
  ActivePolicy,
  BlindReviewItem,
  Decision,
  Opinion,
  PolicyDraft,
  Postponement,
  SampleOutcome,
  SyncHistoryKind,
} from '../../shared/wire/console/console.ts';
import { XLSX } from '../../shared/wire/media.ts';
import type { Answers } from './responses.ts';

/** The types of a file that a spreadsheet opens. */
export const TABLE_TYPES = ['xlsx', 'csv'] as const;
export type TableType = (typeof TABLE_TYPES)[number];
export type FileType = TableType | 'zip';
const MEDIA: Readonly<Record<FileType, string>> = { csv: 'text/csv', xlsx: XLSX, zip: 'application/zip' };

type ReadRoute = keyof Answers & ConsoleRouteKey;

/** The item of a decision or operation, and the version that the person has seen (D13). */
export interface Target {
  id: string;
  version: number;
}

/** The findings in a text that a reviewer saw and accepts. */
export interface Acknowledged {
  /** Ids of words and notices. */
  words: readonly string[];
  /** Figures without evidence, as written (D221). */
  figures: readonly string[];
}

/** What a reviewer saw and accepted with the decision. */
export interface Consent {
  acknowledged: Acknowledged;
  /** Whether the reviewer decides without the second opinion that they requested. */
  withoutOpinion: boolean;
}

const named = ({ words, figures }: Acknowledged): object => ({
  ...(words.length === 0 ? {} : { acknowledgedWords: words }),
  ...(figures.length === 0 ? {} : { acknowledgedFigures: figures }),
});

const consented = ({ acknowledged, withoutOpinion }: Consent): object => ({
  ...named(acknowledged),
  ...(withoutOpinion ? { withoutOpinion } : {}),
});

/** The bulk acts: they only reduce exposure. */
export type BulkAction = 'stop' | 'move-to-review' | 'reject' | 'block';

/** What a dossier is of: an explanation, or a ticker from one Korean day to another. */
export type DossierSubject = { explanation: string } | { ticker: string; from: string; to: string };

/** A ticker on a Korean day. */
export interface ShownQuery {
  ticker: string;
  date: string;
}

export interface ExplanationQuery {
  page: number;
  size: number;
  status?: string;
  market?: string;
  tradeDateFrom?: string;
  tradeDateTo?: string;
  q?: string;
  sort?: string;
  /** Id of a forbidden word that the screening has found. */
  word?: string;
  receivedFrom?: string;
  receivedTo?: string;
  /** Only approved texts on hold. */
  held?: 'true';
  /** Only texts that are exposed, or that the scope alone keeps from them. */
  exposure?: Exposure;
}

/** Korean days on which explanations came in, both included. */
export interface ReceivedDays {
  receivedFrom?: string;
  receivedTo?: string;
}

/** Korean days of decisions, both included; the server chooses absent ones. */
export interface StatisticsDays {
  from?: string;
  to?: string;
}

export interface ReviewQuery {
  page: number;
  size: number;
  status?: string;
  reason?: string;
  split?: string;
  late?: 'true';
  q?: string;
  sort?: string;
}

/** Asks for the version that the next change builds on: the one that waits for its start, else the one in force. */
interface EditedQuery {
  edited?: 'true';
}

/** A change of the policy with the person's reason. */
export type ReasonedDraft = PolicyDraft & { reason?: string };

export type Criteria = NonNullable<ActivePolicy['criteria']>;

export interface PageQuery {
  page: number;
  size: number;
}

/** All rows of a short list: the largest page of the API (D11). */
export const WHOLE_LIST: PageQuery = { page: 1, size: 100 };

export type AuditQuery = PageQuery & Partial<Record<AuditFilterName, string>>;
type AuditFilterName = 'action' | 'actor' | 'system' | 'claims' | 'from' | 'to' | 'ticker' | 'q' | 'seq';

/** PEM. Without a key the certificate is for the relay's key of the last request. */
export interface NewCertificate {
  certificate: string;
  key?: string;
}

export type ConsoleApi = ReturnType<typeof createConsoleApi>;

export function createConsoleApi(request: Requester, download: Downloader) {
  const call = createCaller<Pick<Answers, ReadRoute>>(request);

  function post<Route extends ReadRoute & `POST ${string}{id}${string}`>(
    route: Route,
    { id, version }: Target,
    body: object,
  ) {
    return call(route, { params: { id } as Record<ParameterOf<Route>, string>, version, body });
  }

  return {
    ...accountCalls(request),
    ...scopeCalls(request),
    login: (credentials: Credentials) => call('POST /api/v1/auth/login', { body: credentials }),
    /** The provider's address for a sign-in that returns to `redirectUri`. */
    beginSignIn: async (redirectUri: string) => {
      const begun = await call('POST /api/v1/auth/login', { body: { method: 'SSO_BEGIN', redirectUri } });
      return (begun as SignInBegun).authorizationUrl;
    },
    finishSignIn: (returned: string) => call('POST /api/v1/auth/login', { body: { method: 'SSO_FINISH', returned } }),
    logout: () => call('POST /api/v1/auth/logout', { body: {} }),
    views: (signal?: AbortSignal) => call('GET /api/v1/session/views', abortable(signal)),
    saveView: (view: Omit<SavedView, 'id'>) => call('PUT /api/v1/session/views', { body: view }),
    removeView: (id: string) => call('DELETE /api/v1/session/views/{id}', { params: { id } }),
    rename: (displayName: string) => call('PATCH /api/v1/session/profile', { body: { displayName } }),
    profile: (signal?: AbortSignal) => call('GET /api/v1/session', abortable(signal)),

    explanations: (query: ExplanationQuery, signal?: AbortSignal) =>
      call('GET /api/v1/explanations', { query: { ...query }, ...abortable(signal) }),
    explanation: (id: string, signal?: AbortSignal) =>
      call('GET /api/v1/explanations/{id}', { params: { id }, ...abortable(signal) }),
    statusCounts: (signal?: AbortSignal) => call('GET /api/v1/explanations/status-counts', abortable(signal)),
    feedStatus: (signal?: AbortSignal) => call('GET /api/v1/explanations/feed-status', abortable(signal)),
    correct: ({ id, version }: Target, text: string, reason: string | null, acknowledged: Acknowledged) =>
      call('PATCH /api/v1/explanations/{id}/final', {
        params: { id },
        version,
        body: {
          published_summary: text,
          ...(reason === null ? {} : { reason }),
          ...named(acknowledged),
        },
      }),
    stop: (target: Target, reason: string) => post('POST /api/v1/explanations/{id}/stop', target, { reason }),
    moveToReview: (target: Target, reason: string | null) =>
      post('POST /api/v1/explanations/{id}/move-to-review', target, reason === null ? {} : { reason }),
    unblock: (target: Target, reason: string) => post('POST /api/v1/explanations/{id}/unblock', target, { reason }),

    reviewItems: (query: ReviewQuery, signal?: AbortSignal) =>
      call('GET /api/v1/review/items', { query: { ...query }, ...abortable(signal) }),
    reviewItem: (id: string, signal?: AbortSignal) =>
      call('GET /api/v1/review/items/{id}', { params: { id }, ...abortable(signal) }),
    approve: (target: Target, comment: string | null, consent: Consent & { passesOverEdit: boolean }) =>
      post('POST /api/v1/review/items/{id}/approve', target, {
        ...(consent.passesOverEdit ? { text: 'RECEIVED' } : {}),
        ...(comment === null ? {} : { comment }),
        ...consented(consent),
      }),
    approveEdited: (target: Target, editedSummary: string, comment: string | null, consent: Consent) =>
      post('POST /api/v1/review/items/{id}/approve-edited', target, {
        edited_summary: editedSummary,
        ...(comment === null ? {} : { comment }),
        ...consented(consent),
      }),
    reject: (target: Target, reason: string) => post('POST /api/v1/review/items/{id}/reject', target, { reason }),
    block: (target: Target, reason: string) => post('POST /api/v1/review/items/{id}/block', target, { reason }),
    saveDraft: (
      { id, version }: Target,
      { text, comment, draftVersion }: { text: string | null; comment: string | null; draftVersion: number },
    ) =>
      call('PUT /api/v1/review/items/{id}/draft', {
        params: { id },
        version,
        body: { edited_summary: text, comment, draftVersion },
      }),
    takeDraftOver: (target: Target, draftId: string, draftVersion: number) =>
      post('POST /api/v1/review/items/{id}/draft/take-over', target, { draftId, draftVersion }),
    reviewTarget: (signal?: AbortSignal) => call('GET /api/v1/review/target', abortable(signal)),
    approvalNumbering: (signal?: AbortSignal) => call('GET /api/v1/review/approval-numbers', abortable(signal)),
    setApprovalNumbering: (
      change: { pattern: string | null; validDays: number | null; next?: number },
      version: number,
    ) => call('PUT /api/v1/review/approval-numbers', { body: change, version }),
    setReviewTarget: (minutes: number | null, version: number) =>
      call('PUT /api/v1/review/target', { body: { minutes }, version }),
    claim: (id: string) => call('POST /api/v1/review/items/{id}/claim', { params: { id } }),
    postpone: (id: string, postponement: Postponement) =>
      call('PUT /api/v1/review/items/{id}/postponement', { params: { id }, body: { postponement } }),
    resume: (id: string) => call('DELETE /api/v1/review/items/{id}/postponement', { params: { id } }),
    handOver: (id: string, to: string | null) =>
      call('PUT /api/v1/review/items/{id}/hand-over', { params: { id }, body: { to } }),
    takeItem: (id: string) => call('DELETE /api/v1/review/items/{id}/hand-over', { params: { id } }),
    // The release also reaches the server when the person closes the page right after the item.
    release: (id: string) => call('DELETE /api/v1/review/items/{id}/claim', { params: { id }, keepalive: true }),

    timeline: (id: string, query: PageQuery, signal?: AbortSignal) =>
      call('GET /api/v1/review/items/{id}/timeline', { params: { id }, query: { ...query }, ...abortable(signal) }),
    bulk: (action: BulkAction, items: readonly Target[], reason: string) =>
      call(`POST /api/v1/bulk/${action}`, { body: { items, reason } }),
    samples: (query: PageQuery & { outcome: SampleOutcome }, signal?: AbortSignal) =>
      call('GET /api/v1/review/samples', { query: { ...query }, ...abortable(signal) }),
    sampleCounts: (signal?: AbortSignal) => call('GET /api/v1/review/samples/counts', abortable(signal)),
    markSample: (target: Target, outcome: 'FINE' | 'MISSED') =>
      post('POST /api/v1/review/samples/{id}', target, { outcome }),
    reviewStatistics: (days: StatisticsDays, signal?: AbortSignal) =>
      call('GET /api/v1/review/statistics', { query: { ...days }, limitMs: LONG_ANSWER_MS, ...abortable(signal) }),
    blindReviews: (query: PageQuery & { state: BlindReviewItem['state'] }, signal?: AbortSignal) =>
      call('GET /api/v1/review/blind-reviews', { query: { ...query }, ...abortable(signal) }),
    blindReview: (id: string, signal?: AbortSignal) =>
      call('GET /api/v1/review/blind-reviews/{id}', { params: { id }, ...abortable(signal) }),
    giveOpinion: (id: string, outcome: Decision, reason: string) =>
      call('POST /api/v1/review/blind-reviews/{id}', { params: { id }, body: { outcome, reason } }),
    noteLook: (id: string) => call('POST /api/v1/review/items/{id}/looks', { params: { id } }),
    dismissHit: (target: Target, wordId: string, reason: string) =>
      post('POST /api/v1/review/items/{id}/dismissals', target, { wordId, reason }),
    splitCounts: (signal?: AbortSignal) => call('GET /api/v1/review/splits', abortable(signal)),
    askOpinion: (target: Target, question: string) =>
      post('POST /api/v1/review/items/{id}/opinions', target, { question }),
    answerOpinion: (id: string, opinion: Opinion, why: string) =>
      call('POST /api/v1/review/opinions/{id}/answer', { params: { id }, body: { opinion, text: why } }),
    withdrawOpinion: (id: string) => call('DELETE /api/v1/review/opinions/{id}', { params: { id } }),
    addNote: (id: string, note: string) =>
      call('POST /api/v1/review/items/{id}/notes', { params: { id }, body: { text: note } }),

    disclaimer: (query: EditedQuery, signal?: AbortSignal) =>
      call('GET /api/v1/screening/disclaimer', { query: { ...query }, ...abortable(signal) }),
    shownDay: (query: ShownQuery, signal?: AbortSignal) =>
      call('GET /api/v1/shown/day', { query: { ...query }, ...abortable(signal) }),
    traffic: (signal?: AbortSignal) => call('GET /api/v1/dashboard/traffic', abortable(signal)),

    words: (query: PageQuery & EditedQuery & { q?: string }, signal?: AbortSignal) =>
      call('GET /api/v1/screening/words', { query: { ...query }, ...abortable(signal) }),
    wordCounts: (days: ReceivedDays, signal?: AbortSignal) =>
      call('GET /api/v1/screening/words/counts', { query: { ...days }, ...abortable(signal) }),
    policy: (query: EditedQuery, signal?: AbortSignal) =>
      call('GET /api/v1/screening/policy', { query: { ...query }, ...abortable(signal) }),
    policyVersions: (query: PageQuery, signal?: AbortSignal) =>
      call('GET /api/v1/screening/versions', { query: { ...query }, ...abortable(signal) }),
    policyVersion: (version: number, signal?: AbortSignal) =>
      call('GET /api/v1/screening/versions/{version}', { params: { version: String(version) }, ...abortable(signal) }),
    previewPolicy: (draft: PolicyDraft & { days: number }, signal?: AbortSignal) =>
      call('POST /api/v1/screening/preview', {
        body: draft,
        isRead: true,
        limitMs: LONG_ANSWER_MS,
        ...abortable(signal),
      }),
    tryText: (trial: PolicyDraft & { text: string }, signal?: AbortSignal) =>
      call('POST /api/v1/screening/trial', { body: trial, isRead: true, ...abortable(signal) }),
    wordExamples: (word: NonNullable<PolicyDraft['addWords']>[number], signal?: AbortSignal) =>
      call('POST /api/v1/screening/words/examples', { body: word, isRead: true, ...abortable(signal) }),
    proposals: (query: PageQuery, signal?: AbortSignal) =>
      call('GET /api/v1/screening/proposals', { query: { ...query }, ...abortable(signal) }),
    proposePolicy: (draft: ReasonedDraft, version: number) =>
      call('POST /api/v1/screening/proposals', { body: draft, version }),
    publishProposal: (id: string, version: number) =>
      call('POST /api/v1/screening/proposals/{id}/publish', { params: { id }, body: {}, version }),
    withdrawProposal: (id: string) => call('DELETE /api/v1/screening/proposals/{id}', { params: { id } }),
    /** Without a version while no policy exists. */
    publishPolicy: (draft: ReasonedDraft, version: number | null) =>
      call('POST /api/v1/screening/versions', { body: draft, ...(version === null ? {} : { version }) }),
    cancelPolicyStart: (version: number, reason: string) =>
      call('POST /api/v1/screening/versions/{version}/cancel', {
        params: { version: String(version) },
        body: { reason },
      }),
    policyDifferences: ({ from, to }: { from: number; to: number }, signal?: AbortSignal) =>
      call('GET /api/v1/screening/versions/{version}/differences', {
        params: { version: String(to) },
        query: { from },
        ...abortable(signal),
      }),

    auditActions: (query: AuditQuery, signal?: AbortSignal) =>
      call('GET /api/v1/audit/actions', { query: { ...query }, ...abortable(signal) }),

    auditPeople: (signal?: AbortSignal) => call('GET /api/v1/audit/people', abortable(signal)),
    auditCheckpoint: (signal?: AbortSignal) => call('GET /api/v1/audit/checkpoint', abortable(signal)),
    auditChain: (signal?: AbortSignal) =>
      call('GET /api/v1/audit/chain', { limitMs: LONG_ANSWER_MS, ...abortable(signal) }),
    makeDossier: (subject: DossierSubject) => download(DOSSIERS_PATH, {}, 'application/zip', { ...subject }),
    inspections: (query: PageQuery, signal?: AbortSignal) =>
      call('GET /api/v1/inspections', { query: { ...query }, ...abortable(signal) }),
    countInspected: (query: InspectionQuery) =>
      call('POST /api/v1/inspections/counts', { body: query, isRead: true, limitMs: LONG_ANSWER_MS }),
    askInspection: (query: InspectionQuery, form: InspectionForm, language: AuditLanguage) =>
      call('POST /api/v1/inspections', { body: { ...query, form, language }, limitMs: LONG_ANSWER_MS }),
    continueInspection: (id: string) =>
      call('POST /api/v1/inspections/{id}/continue', { params: { id }, body: {}, limitMs: LONG_ANSWER_MS }),
    removeInspection: (id: string) => call('DELETE /api/v1/inspections/{id}', { params: { id } }),
    inspectionFile: (id: string, type: FileType) =>
      download(`/api/v1/inspections/${encodeURIComponent(id)}/download`, {}, MEDIA[type], {}),
    auditFile: (query: Omit<AuditQuery, 'page' | 'size'> & { language: AuditLanguage }, type: TableType) =>
      download(AUDIT_PATH, { ...query }, MEDIA[type]),

    syncHistory: (query: PageQuery & { kind?: SyncHistoryKind }, signal?: AbortSignal) =>
      call('GET /api/v1/sync/history', { query: { ...query }, ...abortable(signal) }),
    certificate: (signal?: AbortSignal) => call('GET /api/v1/sync/certificate', abortable(signal)),
    replaceCertificate: (replacement: NewCertificate) => call('POST /api/v1/sync/certificate', { body: replacement }),
    returnToPreviousCertificate: () => call('POST /api/v1/sync/certificate/previous', { body: {} }),
    requestCertificate: () => call('POST /api/v1/sync/certificate/request', { body: {} }),
    reconnect: () => call('POST /api/v1/sync/reconnect', { body: {} }),
    syncStatus: (signal?: AbortSignal) => call('GET /api/v1/sync/status', abortable(signal)),
  };
}

const AUDIT_PATH = '/api/v1/audit/actions' satisfies ConsoleRouteKey extends `${string} ${infer Path}` ? Path : never;
const DOSSIERS_PATH = '/api/v1/dossiers';

export const EVENTS_PATH = '/api/v1/events' satisfies ConsoleRouteKey extends `${string} ${infer Path}` ? Path : never;

/** Answers without a session too: the page uses it to probe whether the API is up. */
export const SESSION_PATH = '/api/v1/session' satisfies ConsoleRouteKey extends `${string} ${infer Path}`
  ? Path
  : never;
