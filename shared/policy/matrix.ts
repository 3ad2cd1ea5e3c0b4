/**
 * The permission matrix of the tenant's console (console API 5). A function without a row is denied to every role; a
 * new function needs a row with the roles that it is granted to.
 */
import type { Role } from './roles.ts';

const ALL = ['TENANT_ADMIN', 'COMPLIANCE_REVIEWER', 'OPERATOR', 'READ_ONLY'] as const satisfies readonly Role[];

export const MATRIX = {
  /** Acts of any logged-in user on their own account. */
  'session.own': ALL,
  /** The caller's own password and second factor; no route reaches another account's. */
  'session.password': ALL,
  /** The API's description of itself. */
  'api.view': ALL,
  'dashboard.view': ALL,
  'explanations.view': ALL,
  'explanations.correct': ['COMPLIANCE_REVIEWER'],
  'explanations.move-to-review': ['COMPLIANCE_REVIEWER', 'OPERATOR'],
  /** The screening's blocks alone; a person's block is final (D209). */
  'explanations.unblock': ['COMPLIANCE_REVIEWER'],
  'explanations.stop': ['COMPLIANCE_REVIEWER', 'OPERATOR'],
  /** The view of what was shown at a moment, and why. */
  'shown.view': ALL,
  /** A dossier holds rows of the audit log whole, with accounts and roles (D70, D166). */
  'dossier.make': ['TENANT_ADMIN'],
  /** Who asked for what for an inspector, and how far it is. */
  'inspection.view': ALL,
  /** Its files hold dossiers, and what people decided (D91, D174). */
  'inspection.answer': ['TENANT_ADMIN'],
  'review.view': ALL,
  'review.decide': ['COMPLIANCE_REVIEWER'],
  /** Internal notes. An Operator writes only the reason of a move that reduces exposure. */
  'review.note': ['COMPLIANCE_REVIEWER'],
  /** A verdict on a text that was provided without a review. */
  'review.sample': ['COMPLIANCE_REVIEWER'],
  /** A reviewer's own decision on an item, given without knowing the first decision. */
  'review.blind': ['COMPLIANCE_REVIEWER'],
  /** The target for the waiting time of an item: system administration, not judgement. */
  'review.target': ['TENANT_ADMIN'],
  /** Pattern of the approval numbers, and validity of an approval: the compliance department's (D211). */
  'review.approval-numbers': ['COMPLIANCE_REVIEWER'],
  'policy.view': ALL,
  'policy.change': ['COMPLIANCE_REVIEWER'],
  'scope.view': ALL,
  /** Markets and channels: what the system covers. */
  'scope.coverage': ['TENANT_ADMIN'],
  /** Instruments and sectors: conflicts of interest. */
  'scope.exclude': ['COMPLIANCE_REVIEWER'],
  'sync.view': ALL,
  'sync.manage': ['TENANT_ADMIN'],
  'members.manage': ['TENANT_ADMIN'],
  /** Its rows about accounts and roles are shown to the Tenant Admin alone (D17). */
  'audit.view': ALL,
  'events.view': ALL,
} as const satisfies Record<string, readonly Role[]>;

export type FunctionId = keyof typeof MATRIX;

/** Every function, in the order of the matrix. */
export const FUNCTION_IDS = Object.keys(MATRIX) as [FunctionId, ...FunctionId[]];

/** Whether a role may use a function. */
export function isGranted(functionId: FunctionId, role: Role): boolean {
  return (MATRIX[functionId] as readonly Role[]).includes(role);
}

/** The functions that a role may use, in the order of the matrix (D10 `permissions`). */
export function permissionsOf(role: Role): FunctionId[] {
  return FUNCTION_IDS.filter((functionId) => isGranted(functionId, role));
}
