/** The compliance policy: reading it, and changing it by new versions (console API 4, D16). */
import { alteredThing, autoPublishedUnder } from '../../../agent/ledger/audit/thing-findings.ts';
import { policyFaults } from '../../../agent/ledger/audit/single-things.ts';
import { readRecordKey, recordKeyFile } from '../../../agent/ledger/made/record-key.ts';
import { z } from 'zod';
import { receivedCount } from '../../../agent/ledger/explanations/counts.ts';
import type { LedgerReader } from '../../../agent/ledger/storage/ledger.ts';
import {
  findPolicyVersion,
  listPolicyVersions,
  activePolicy,
  activePolicyVersion,
  changePolicy,
  editedPolicy,
  policyVersion,
  waitingVersion,
} from '../../../agent/ledger/policy/versions.ts';
import { cancelPolicyStart } from '../../../agent/ledger/policy/start.ts';
import {
  differences,
  PolicyChangeError,
  withChangedWord,
  withCriteria,
  withDisclaimer,
  withToggledWord,
  withWord,
} from '../../../agent/ledger/policy/changes.ts';
import { wordCounts } from '../../../agent/ledger/explanations/word-hits.ts';
import { MATCHER_VERSION } from '../../../agent/screening/matcher.ts';
import { withWhy } from '../../../agent/screening/sentences.ts';
import {
  disclaimerText,
  type PolicySnapshot,
  type PolicyVersion as StoredVersion,
} from '../../../agent/screening/policy.ts';
import { wordSearch } from '../../../agent/screening/word-search.ts';
import { createScreener, type Screener } from '../../../agent/screening/screen.ts';
import type {
  ActivePolicy,
  ChangedWord,
  Disclaimer,
  Page,
  PolicyChange,
  PolicyDifferences,
  PolicyVersionDetail,
  PolicyVersionItem,
  WordCounts,
  WordPage,
} from '../../../shared/wire/console/console.ts';
import { pageOf } from '../../../shared/wire/console/common.ts';
import {
  activePolicySchema,
  changedWordSchema,
  disclaimerSchema,
  policyDifferencesSchema,
  policyVersionDetailSchema,
  policyVersionSchema,
  wordCountsSchema,
  wordPageSchema,
} from '../../../shared/wire/console/policy.ts';
import { ApiError } from '../../../shared/wire/envelope.ts';
import { actorOf, type Caller, type ConsoleContext } from '../context/context.ts';
import { endpoint, type Call } from '../http/endpoint.ts';
import { applyDraft, MOST_DRAFT_BYTES, reasonedDraft, refuseBlockedNotices, toldOf } from './draft.ts';
import { ruleInstances } from './rule-instances.ts';
import { criteriaChange, disclaimerChange, newWord, wordChange, wordOf } from './schemas.ts';
import {
  idPath,
  LONGEST,
  paging,
  receivedDays,
  receivedWithin,
  requiredWrittenText,
  search,
  switchedOnOr,
  versionNumber,
  versionPath,
} from '../http/schemas.ts';

/** The version that waits for its start, else the one in force, instead of the latter alone (D212). */
const edited = switchedOnOr(false);

const policyOf = (reader: LedgerReader, asked: { edited: boolean }): StoredVersion | undefined =>
  asked.edited ? editedPolicy(reader) : activePolicy(reader);

export const screeningHandlers = {
  'GET /api/v1/screening/words': endpoint({
    summary: 'Forbidden words of the active policy, page by page',
    query: z.strictObject({ ...paging, q: search, edited }),
    result: wordPageSchema,
    etag: 'policyVersion',
    handle: ({ query, context }): WordPage => {
      const { page, size, q } = query;
      const active = policyOf(context.ledger, query);
      const isMeant = wordSearch(q ?? '');
      const words = (active?.snapshot.words ?? []).filter(({ word }) => q === undefined || isMeant(word));
      return {
        items: words.slice((page - 1) * size, page * size),
        page,
        size,
        total: words.length,
        policyVersion: active?.version ?? null,
      };
    },
  }),

  'GET /api/v1/screening/words/counts': endpoint({
    summary: 'In how many explanations each forbidden word was found, by the days on which they came in',
    query: z.strictObject(receivedDays),
    result: wordCountsSchema,
    handle: ({ query, context }): WordCounts => {
      const within = receivedWithin(query);
      return context.ledger.read((reader) => ({
        explanations: receivedCount(reader, within),
        words: wordCounts(reader, within),
      }));
    },
  }),

  'GET /api/v1/screening/policy': endpoint({
    summary: 'The active policy: criteria and rule instances',
    query: z.strictObject({ edited }),
    result: activePolicySchema,
    etag: 'policyVersion',
    handle: ({ query, caller, context }): ActivePolicy =>
      context.ledger.read((reader) => {
        const inForce = activePolicyVersion(reader);
        const altered = inForce === null ? null : alteredPolicy(reader, context, inForce);
        return policyView(reader, caller, policyOf(reader, query), altered);
      }),
  }),

  'GET /api/v1/screening/disclaimer': endpoint({
    summary: 'The disclaimer of the active policy',
    query: z.strictObject({ edited }),
    result: disclaimerSchema,
    etag: 'policyVersion',
    handle: ({ query, context }): Disclaimer =>
      context.ledger.read((reader) => {
        const policy = policyOf(reader, query);
        const isActive = policy?.version === activePolicyVersion(reader);
        return disclaimerOf(policy, isActive ? context.screener.of(reader) : createScreener(policy ?? null));
      }),
  }),

  'GET /api/v1/screening/versions': endpoint({
    summary: 'Versions of the policy with what each has changed, page by page',
    query: z.strictObject(paging),
    result: pageOf(policyVersionSchema),
    handle: ({ query, context }): Page<PolicyVersionItem> => {
      const { rows, total } = context.ledger.read((reader) => listPolicyVersions(reader, query));
      return { items: rows, page: query.page, size: query.size, total };
    },
  }),

  'GET /api/v1/screening/versions/{version}': endpoint({
    summary: 'One version of the policy, whole',
    path: versionPath,
    result: policyVersionDetailSchema,
    handle: ({ path, context }): PolicyVersionDetail =>
      context.ledger.read((reader) => {
        const stored = policyVersion(reader, path.version);
        const item = findPolicyVersion(reader, path.version);
        if (stored === undefined || item === undefined) throw new ApiError('COMMON404');
        return { ...item, ...stored.snapshot };
      }),
  }),

  'GET /api/v1/screening/versions/{version}/differences': endpoint({
    summary: 'The differences between a version of the policy and another one, by default the active one',
    path: versionPath,
    query: z.strictObject({ from: versionNumber.optional() }),
    result: policyDifferencesSchema,
    handle: ({ path, query, context }): PolicyDifferences =>
      context.ledger.read((reader) => {
        const [from, to] = [query.from ?? activePolicyVersion(reader) ?? 0, path.version].map((version) => {
          const stored = policyVersion(reader, version);
          const item = findPolicyVersion(reader, version);
          if (stored === undefined || item === undefined)
            throw new ApiError('COMMON404', `There is no version ${version}.`);
          return { item, snapshot: stored.snapshot };
        }) as [Found, Found];
        return { from: from.item, to: to.item, changes: differences(from.snapshot, to.snapshot) };
      }),
  }),

  'POST /api/v1/screening/versions': endpoint({
    refuses: [404],
    summary: 'Publish a draft, with everything that it changes, as one new version of the policy',
    body: reasonedDraft,
    mostBytes: MOST_DRAFT_BYTES,
    ifMatch: true,
    result: activePolicySchema,
    etag: 'policyVersion',
    handle: async (call): Promise<ActivePolicy> => {
      const { context, body } = call;
      const change = (edited: PolicySnapshot | undefined, tx: LedgerReader): PolicySnapshot =>
        applyDraft(tx, context.ids, edited, body);
      const stored = await publish(call, change, { told: toldOf(body), startsAt: body.startsAt });
      return context.ledger.read((reader) => policyView(reader, call.caller, stored));
    },
  }),

  'POST /api/v1/screening/versions/{version}/cancel': endpoint({
    summary: 'Cancel a version of the policy that waits for its start; another person than its author may',
    path: versionPath,
    body: z.strictObject({ reason: requiredWrittenText(LONGEST.reason) }),
    result: policyVersionSchema,
    handle: ({ path, body, caller, context, write }): Promise<PolicyVersionItem> =>
      write((tx) => {
        if (findPolicyVersion(tx, path.version) === undefined) throw new ApiError('COMMON404');
        const at = context.clock.now().toISOString();
        return cancelPolicyStart(tx, { ...path, ...body, actor: actorOf(caller), at });
      }),
  }),

  'POST /api/v1/screening/words': endpoint({
    summary: 'Register a forbidden word: a new version of the policy',
    body: newWord,
    ifMatch: true,
    result: changedWordSchema,
    etag: 'policyVersion',
    handle: async (call): Promise<ChangedWord> => {
      const word = wordOf(call.body, call.context.ids.uuid());
      const { version } = await publish(call, (active) => withWord(needed(active), word));
      return { ...word, policyVersion: version };
    },
  }),

  'POST /api/v1/screening/words/{id}/toggle': endpoint({
    summary: 'Switch a forbidden word off or on again: a new version of the policy',
    path: idPath,
    ifMatch: true,
    result: changedWordSchema,
    etag: 'policyVersion',
    handle: async (call): Promise<ChangedWord> => {
      const stored = await publish(call, (active) => withToggledWord(needed(active), call.path.id));
      return changedWord(stored, call.path.id);
    },
  }),

  'PATCH /api/v1/screening/words/{id}': endpoint({
    summary: 'Change the severity or the exceptions of a forbidden word: a new version of the policy',
    path: idPath,
    body: wordChange.refine((change) => Object.keys(change).length > 0, 'must name what is to be another'),
    ifMatch: true,
    result: changedWordSchema,
    etag: 'policyVersion',
    handle: async (call): Promise<ChangedWord> => {
      const stored = await publish(call, (active) => withChangedWord(needed(active), call.path.id, call.body));
      return changedWord(stored, call.path.id);
    },
  }),

  'PATCH /api/v1/screening/criteria': endpoint({
    summary: 'Change the criteria or the auto-provision switch: a new version of the policy',
    body: criteriaChange,
    ifMatch: true,
    result: activePolicySchema,
    etag: 'policyVersion',
    handle: async (call): Promise<ActivePolicy> => {
      const stored = await publish(call, (active) => withCriteria(needed(active), call.body));
      return call.context.ledger.read((reader) => policyView(reader, call.caller, stored));
    },
  }),

  'PATCH /api/v1/screening/disclaimer': endpoint({
    summary: 'Change the firm’s words of the disclaimer: a new version of the policy',
    body: disclaimerChange,
    ifMatch: true,
    result: disclaimerSchema,
    etag: 'policyVersion',
    handle: async (call): Promise<Disclaimer> => {
      const stored = await publish(call, (active) => withDisclaimer(active, call.body.disclaimer));
      return disclaimerOf(stored, createScreener(stored));
    },
  }),
};

interface Found {
  item: PolicyVersionItem;
  snapshot: PolicySnapshot;
}

function changedWord({ version, snapshot }: StoredVersion, id: string): ChangedWord {
  const word = snapshot.words.find((one) => one.id === id);
  if (word === undefined) throw new ApiError('COMMON404');
  return { ...word, policyVersion: version };
}

/** Changes the policy in one write, and returns the version that the next change builds on. */
function publish(
  { caller, context, expected, write }: Call<Caller, unknown, unknown, unknown>,
  change: (active: PolicySnapshot | undefined, tx: LedgerReader) => PolicySnapshot,
  more: { told?: PolicyChange[]; startsAt?: string | null | undefined } = {},
): Promise<StoredVersion> {
  return write((tx) => {
    const at = context.clock.now().toISOString();
    const made = (active: PolicySnapshot | undefined): PolicySnapshot => {
      const snapshot = change(active, tx);
      refuseBlockedNotices(active, snapshot);
      return snapshot;
    };
    return changePolicy(tx, { change: made, ...more, actor: actorOf(caller), at, ...expected });
  });
}

/** @throws PolicyChangeError without a policy: a first version needs a disclaimer first */
function needed(active: PolicySnapshot | undefined): PolicySnapshot {
  if (active === undefined) throw new PolicyChangeError('There is no policy yet: set the disclaimer first.');
  return active;
}

function disclaimerOf(active: StoredVersion | undefined, screener: Screener): Disclaimer {
  if (active === undefined) return { disclaimer: null, aiNotice: null, text: null, hits: [], policyVersion: null };
  const { disclaimer } = active.snapshot;
  // A notice denies things, and names them for it.
  const found = screener.findWordsOfNotice(disclaimer.text).filter(({ grammar }) => grammar !== 'TURNED');
  return {
    disclaimer: disclaimerText(active.snapshot),
    ...disclaimer,
    hits: found.map(withWhy),
    policyVersion: active.version,
  };
}

/** Texts that an answer names. */
const MOST_AUTO_PUBLISHED = 20;

function alteredPolicy(reader: LedgerReader, { ledger }: ConsoleContext, version: number): ActivePolicy['altered'] {
  const faults = policyFaults(reader, readRecordKey(recordKeyFile(ledger.file)), version);
  if (faults.length === 0) return null;
  const texts = autoPublishedUnder(reader, version);
  return {
    faults: faults.map((fault) => alteredThing(reader, fault)),
    provided: texts.length,
    explanations: texts.slice(0, MOST_AUTO_PUBLISHED).map(({ id, name, tradeDate }) => ({ id, name, tradeDate })),
  };
}

function policyView(
  reader: LedgerReader,
  caller: Caller,
  policy: StoredVersion | undefined,
  altered: ActivePolicy['altered'] = null,
): ActivePolicy {
  const waiting = waitingOf(reader, caller);
  if (policy === undefined) {
    const none = { policyVersion: null, publishedAt: null, author: null, criteria: null };
    return { ...none, matcherVersion: MATCHER_VERSION, notices: [], rules: [], waiting, altered };
  }
  const { version, snapshot } = policy;
  const item = findPolicyVersion(reader, version);
  return {
    policyVersion: version,
    publishedAt: item?.createdAt ?? null,
    author: item?.author ?? null,
    matcherVersion: MATCHER_VERSION,
    criteria: snapshot.criteria,
    notices: snapshot.notices,
    rules: ruleInstances(snapshot),
    waiting,
    altered,
  };
}

function waitingOf(reader: LedgerReader, { member }: Caller): ActivePolicy['waiting'] {
  const waiting = waitingVersion(reader);
  if (waiting === undefined) return null;
  const { version: policyVersion, startsAt, author, authorId } = waiting;
  return { policyVersion, startsAt, author, mine: authorId === member.id };
}
