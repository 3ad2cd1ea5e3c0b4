/** The answer of each route of the console API that the screens use. */
import type {
  ActivePolicy,
  ApprovalNumbering,
  AuditAction,
  AuditChain,
  BlindReview,
  BlindReviewItem,
  BulkResult,
  CertificateView,
  Disclaimer,
  ExplanationDetail,
  ExplanationItem,
  FeedStatus,
  FoundPage,
  Page,
  PolicyDifferences,
  PolicyProposal,
  PolicyVersionDetail,
  PolicyVersionItem,
  Preview,
  Trial,
  WordExamples,
  Profile,
  ReviewDetail,
  ReviewItem,
  HandOverAnswer,
  PostponementAnswer,
  ReviewNote,
  ReviewStatistics,
  ShownDay,
  ReviewTarget,
  SampleCounts,
  StatusCounts,
  SyncCertificateInstalled,
  SyncCertificateRequest,
  SyncHistoryItem,
  SyncReconnected,
  SyncStatus,
  TimelineEntry,
  Traffic,
  WordCounts,
  WordPage,
} from '../../shared/wire/console/console.ts';
import type { SplitCounts } from '../../shared/wire/console/opinion.ts';
import type { AuditCheckpoint, AuditPeople } from '../../shared/wire/console/audit.ts';
import type { ViewNoted } from '../../shared/wire/console/blind-review.ts';
import type { Inspection, InspectionCounts } from '../../shared/wire/console/inspection.ts';
import type { SavedViewList } from '../../shared/wire/console/saved-views.ts';
import type { SessionState, SignedOut, SignInBegun } from '../../shared/wire/console/session.ts';

/** The type of each route's `result`. `unknown`: no screen reads it. */
export interface Answers {
  'POST /api/v1/auth/login': SessionState | SignInBegun;
  'POST /api/v1/auth/logout': SignedOut;
  'GET /api/v1/session': Profile;
  'PATCH /api/v1/session/profile': Profile;
  'GET /api/v1/session/views': SavedViewList;
  'PUT /api/v1/session/views': SavedViewList;
  'DELETE /api/v1/session/views/{id}': SavedViewList;
  'GET /api/v1/explanations': FoundPage<ExplanationItem>;
  'GET /api/v1/explanations/feed-status': FeedStatus;
  'GET /api/v1/explanations/status-counts': StatusCounts;
  'GET /api/v1/explanations/{id}': ExplanationDetail;
  'PATCH /api/v1/explanations/{id}/final': unknown;
  'POST /api/v1/explanations/{id}/stop': unknown;
  'POST /api/v1/explanations/{id}/move-to-review': ExplanationDetail;
  'POST /api/v1/explanations/{id}/unblock': ExplanationDetail;
  'GET /api/v1/review/items': Page<ReviewItem>;
  'GET /api/v1/review/items/{id}': ReviewDetail;
  'POST /api/v1/review/items/{id}/approve': ReviewDetail;
  'POST /api/v1/review/items/{id}/approve-edited': ReviewDetail;
  'POST /api/v1/review/items/{id}/reject': unknown;
  'POST /api/v1/review/items/{id}/block': unknown;
  'PUT /api/v1/review/items/{id}/draft': ReviewDetail;
  'POST /api/v1/review/items/{id}/draft/take-over': ReviewDetail;
  'POST /api/v1/review/items/{id}/claim': unknown;
  'DELETE /api/v1/review/items/{id}/claim': unknown;
  'PUT /api/v1/review/items/{id}/postponement': PostponementAnswer;
  'DELETE /api/v1/review/items/{id}/postponement': PostponementAnswer;
  'PUT /api/v1/review/items/{id}/hand-over': HandOverAnswer;
  'DELETE /api/v1/review/items/{id}/hand-over': HandOverAnswer;
  'GET /api/v1/review/items/{id}/timeline': Page<TimelineEntry>;
  'POST /api/v1/review/items/{id}/dismissals': unknown;
  'POST /api/v1/review/items/{id}/notes': ReviewNote;
  'GET /api/v1/review/splits': SplitCounts;
  'POST /api/v1/review/items/{id}/opinions': unknown;
  'POST /api/v1/review/opinions/{id}/answer': unknown;
  'DELETE /api/v1/review/opinions/{id}': unknown;
  'POST /api/v1/bulk/stop': BulkResult;
  'POST /api/v1/bulk/move-to-review': BulkResult;
  'POST /api/v1/bulk/reject': BulkResult;
  'POST /api/v1/bulk/block': BulkResult;
  'GET /api/v1/review/approval-numbers': ApprovalNumbering;
  'PUT /api/v1/review/approval-numbers': ApprovalNumbering;
  'GET /api/v1/review/target': ReviewTarget;
  'PUT /api/v1/review/target': ReviewTarget;
  'GET /api/v1/review/samples': Page<ExplanationItem>;
  'GET /api/v1/review/samples/counts': SampleCounts;
  'POST /api/v1/review/samples/{id}': unknown;
  'GET /api/v1/review/statistics': ReviewStatistics;
  'GET /api/v1/shown/day': ShownDay;
  'GET /api/v1/inspections': Page<Inspection>;
  'POST /api/v1/inspections': Inspection;
  'POST /api/v1/inspections/counts': InspectionCounts;
  'POST /api/v1/inspections/{id}/continue': Inspection;
  'DELETE /api/v1/inspections/{id}': undefined;
  'GET /api/v1/review/blind-reviews': Page<BlindReviewItem>;
  'GET /api/v1/review/blind-reviews/{id}': BlindReview;
  'POST /api/v1/review/blind-reviews/{id}': BlindReview;
  'POST /api/v1/review/items/{id}/looks': ViewNoted;
  'GET /api/v1/dashboard/traffic': Traffic;
  'GET /api/v1/screening/words': WordPage;
  'GET /api/v1/screening/words/counts': WordCounts;
  'GET /api/v1/screening/policy': ActivePolicy;
  'GET /api/v1/screening/disclaimer': Disclaimer;
  'GET /api/v1/screening/versions': Page<PolicyVersionItem>;
  'GET /api/v1/screening/versions/{version}': PolicyVersionDetail;
  'POST /api/v1/screening/words': unknown;
  'POST /api/v1/screening/words/{id}/toggle': unknown;
  'PATCH /api/v1/screening/criteria': unknown;
  'PATCH /api/v1/screening/disclaimer': unknown;
  'GET /api/v1/screening/versions/{version}/differences': PolicyDifferences;
  'POST /api/v1/screening/versions': unknown;
  'POST /api/v1/screening/versions/{version}/cancel': unknown;
  'PATCH /api/v1/screening/words/{id}': unknown;
  'POST /api/v1/screening/preview': Preview;
  'POST /api/v1/screening/trial': Trial;
  'POST /api/v1/screening/words/examples': WordExamples;
  'GET /api/v1/screening/proposals': Page<PolicyProposal>;
  'POST /api/v1/screening/proposals': unknown;
  'POST /api/v1/screening/proposals/{id}/publish': unknown;
  'DELETE /api/v1/screening/proposals/{id}': unknown;
  'GET /api/v1/sync/status': SyncStatus;
  'GET /api/v1/sync/history': Page<SyncHistoryItem>;
  'GET /api/v1/sync/certificate': CertificateView;
  'POST /api/v1/sync/certificate': SyncCertificateInstalled;
  'POST /api/v1/sync/certificate/previous': SyncCertificateInstalled;
  'POST /api/v1/sync/certificate/request': SyncCertificateRequest;
  'POST /api/v1/sync/reconnect': SyncReconnected;
  'GET /api/v1/audit/actions': Page<AuditAction>;
  'GET /api/v1/audit/people': AuditPeople;
  'GET /api/v1/audit/chain': AuditChain;
  'GET /api/v1/audit/checkpoint': AuditCheckpoint;
}
