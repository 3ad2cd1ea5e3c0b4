/** Policy changes that one reviewer proposes and another publishes (four eyes). */
import { z } from 'zod';
import {
  listProposals,
  proposeChange,
  publishProposal,
  withdrawProposal,
  type StoredProposal,
} from '../../../agent/ledger/policy/proposals.ts';
import { findPolicyVersion } from '../../../agent/ledger/policy/versions.ts';
import type { PolicySnapshot } from '../../../agent/screening/policy.ts';
import type { Page, PolicyProposal, PolicyVersionItem } from '../../../shared/wire/console/console.ts';
import { pageOf } from '../../../shared/wire/console/common.ts';
import { policyProposalSchema, policyVersionSchema } from '../../../shared/wire/console/policy.ts';
import { ApiError } from '../../../shared/wire/envelope.ts';
import { actorOf, type Caller } from '../context/context.ts';
import { endpoint } from '../http/endpoint.ts';
import { applyDraft, MOST_DRAFT_BYTES, reasonedDraft, refuseBlockedNotices, toldOf } from './draft.ts';
import { idPath, paging } from '../http/schemas.ts';

export const proposalHandlers = {
  'GET /api/v1/screening/proposals': endpoint({
    summary: 'Changes of the policy that wait for a second person, oldest first, page by page',
    query: z.strictObject(paging),
    result: pageOf(policyProposalSchema),
    handle: ({ query, caller, context }): Page<PolicyProposal> => {
      const { rows, total } = context.ledger.read((reader) => listProposals(reader, query));
      return { items: rows.map((row) => seenBy(caller, row)), page: query.page, size: query.size, total };
    },
  }),

  'POST /api/v1/screening/proposals': endpoint({
    refuses: [404],
    summary: 'Propose a change of the policy, for another reviewer to publish',
    body: reasonedDraft,
    mostBytes: MOST_DRAFT_BYTES,
    ifMatch: true,
    result: policyProposalSchema,
    handle: ({ body: { reason, ...draft }, caller, context, expected, write }): Promise<PolicyProposal> => {
      const at = context.clock.now().toISOString();
      const id = context.ids.uuid();
      const told = toldOf({ ...draft, reason });
      return write((tx) => {
        const change = (active: PolicySnapshot): PolicySnapshot => {
          const snapshot = applyDraft(tx, context.ids, active, draft);
          refuseBlockedNotices(active, snapshot);
          return snapshot;
        };
        return seenBy(caller, proposeChange(tx, { id, draft, told, change, actor: actorOf(caller), at, ...expected }));
      });
    },
  }),

  'POST /api/v1/screening/proposals/{id}/publish': endpoint({
    summary: "Publish another reviewer's proposal as a new version of the policy",
    path: idPath,
    ifMatch: true,
    result: policyVersionSchema,
    etag: 'version',
    handle: ({ path, caller, context, expected, write }): Promise<PolicyVersionItem> => {
      return write((tx) => {
        const at = context.clock.now().toISOString();
        const { version } = publishProposal(tx, { id: path.id, actor: actorOf(caller), at, ...expected });
        const item = findPolicyVersion(tx, version);
        if (item === undefined) throw new ApiError('COMMON404');
        return item;
      });
    },
  }),

  'DELETE /api/v1/screening/proposals/{id}': endpoint({
    summary: 'Take a proposal back, or refuse it',
    path: idPath,
    result: policyProposalSchema,
    handle: ({ path, caller, context, write }): Promise<PolicyProposal> => {
      const at = context.clock.now().toISOString();
      return write((tx) => seenBy(caller, withdrawProposal(tx, { id: path.id, actor: actorOf(caller), at })));
    },
  }),
};

function seenBy(caller: Caller, proposal: StoredProposal): PolicyProposal {
  const { memberId, ...shown } = proposal;
  return { ...shown, mine: memberId === caller.member.id };
}
