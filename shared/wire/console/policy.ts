/** The compliance policy and its versions (D16). */
import { z } from 'zod';
import { alteredThingSchema } from './audit.ts';
import { instant, pageOf } from './common.ts';
import { CHECKS, CONFIDENCE_LEVELS, EXPLANATION_STATUSES, MOST_APART, REASON_CODES, SEVERITIES } from './constants.ts';
import { checkResultSchema, wordHitSchema } from './screening.ts';

/** Longer expressions in which a word is legitimate (CLEAR) or needs a reviewer (REVIEW). */
const exceptionsSchema = z.array(z.strictObject({ text: z.string(), becomes: z.enum(['CLEAR', 'REVIEW']) }));
/**
 * Most words with a meaning between two parts of a word (D220); null: found by its letters alone. Absent: `USUALLY_APART`.
 */
const apartSchema = z.int().min(0).max(MOST_APART).nullable().optional();
export type WordException = z.infer<typeof exceptionsSchema>[number];

const wordShape = {
  id: z.string(),
  word: z.string(),
  severity: z.enum(SEVERITIES),
  /** The reason of the taxonomy that the word stands for. */
  reason: z.enum(REASON_CODES).optional(),
  /** An inactive word is kept and not matched. */
  active: z.boolean(),
  exceptions: exceptionsSchema,
  apart: apartSchema,
  /** What a reviewer may put in its place; absent: nothing is offered (D213). */
  replacements: z.array(z.string()).optional(),
};
const forbiddenWordSchema = z.strictObject(wordShape);
export type ForbiddenWord = z.infer<typeof forbiddenWordSchema>;

/** A notice that every text, or every text with one of some words, must contain in one of several wordings. */
const requiredNoticeSchema = z.strictObject({
  id: z.string(),
  /** The firm's name for it. */
  name: z.string(),
  /** The verdict on a text that lacks it. */
  severity: z.enum(SEVERITIES),
  /** An inactive notice is kept and not required. */
  active: z.boolean(),
  /** The text must contain one of these. */
  terms: z.array(z.string()),
  /** Required only in a text that contains one of these; empty: in every text. */
  onlyWith: z.array(z.string()),
});
export type RequiredNotice = z.infer<typeof requiredNoticeSchema>;

/** `GET /api/v1/screening/words`. The version is null while no policy is active. */
export const wordPageSchema = z.strictObject({
  ...pageOf(forbiddenWordSchema).shape,
  policyVersion: z.int().nullable(),
});
export type WordPage = z.infer<typeof wordPageSchema>;

/** `GET /api/v1/screening/words/counts`: the hits in the screenings of explanations received on some days. */
export const wordCountsSchema = z.strictObject({
  /** Explanations received on these days. */
  explanations: z.int(),
  /** Words with at least one hit, most frequent first; other words had none. */
  words: z.array(
    z.strictObject({
      wordId: z.string(),
      /** As many as `GET /api/v1/explanations?word=` lists for the same days. */
      explanations: z.int(),
      lastReceivedAt: instant,
      /** Those in which a reviewer has dismissed the hit. */
      dismissed: z.int(),
    }),
  ),
});
export type WordCounts = z.infer<typeof wordCountsSchema>;

/** The answer of a change of one word. */
export const changedWordSchema = z.strictObject({ ...wordShape, policyVersion: z.int() });
export type ChangedWord = z.infer<typeof changedWordSchema>;

const criteriaSchema = z.strictObject({
  autoProvision: z.boolean(),
  minSources: z.int(),
  minConfidence: z.enum(CONFIDENCE_LEVELS),
  uncertainToReview: z.boolean(),
  /** Whether a return beyond ±100 % goes to a reviewer (D226). */
  suspectToReview: z.boolean(),
  /** Whether a word that is surely part of other words needs no reviewer (D220). */
  insidePasses: z.boolean(),
  /** Whether an edited text, and a change of the policy, needs a second person. */
  fourEyes: z.boolean(),
  /** The share of auto-provided texts that is sampled, in percent. */
  sampleShare: z.int(),
  /** The share of people's decisions that gets a blind review, in percent. */
  blindShare: z.int(),
  /** The hold of an approved text before any channel gets it, in seconds. */
  holdSeconds: z.int(),
  /** When a text expires on its trade date, `HH:MM` in Korea; null: never. */
  expiresAt: z.string().nullable(),
  /** The reasons with a digit in every form, `readReasonDigits`; null: each form has its own (D237). */
  reasonDigits: z.string().nullable(),
});

/** A check as the policy has it set up. */
const ruleInstanceSchema = z.strictObject({
  check: z.enum(CHECKS),
  /** False where the policy does not use it. */
  active: z.boolean(),
  /** The gravest effect of its finding. */
  leadsTo: z.enum(SEVERITIES),
  parameters: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
});

/** A version that waits for its start (D212). */
const waitingVersionSchema = z.strictObject({
  policyVersion: z.int(),
  startsAt: instant,
  author: z.string(),
  /** Whether the caller has written it; then another reviewer may cancel it. */
  mine: z.boolean(),
});
export type WaitingVersion = z.infer<typeof waitingVersionSchema>;

/** `GET /api/v1/screening/policy`; everything is null or empty while no policy is active (fail closed, D14). */
export const activePolicySchema = z.strictObject({
  policyVersion: z.int().nullable(),
  publishedAt: instant.nullable(),
  author: z.string().nullable(),
  matcherVersion: z.string(),
  criteria: criteriaSchema.nullable(),
  notices: z.array(requiredNoticeSchema),
  rules: z.array(ruleInstanceSchema),
  /** The version that takes the place of the one in force, where one waits. */
  waiting: waitingVersionSchema.nullable(),
  /** Set where it is not as the audit log tells (D199): no v1 text is exposed without a reviewer. */
  altered: z
    .strictObject({
      faults: z.array(alteredThingSchema),
      /** The texts that it has let out without a reviewer: their number, and the newest of them. */
      provided: z.int(),
      explanations: z.array(z.strictObject({ id: z.string(), name: z.string(), tradeDate: z.string() })),
    })
    .nullable(),
});
export type ActivePolicy = z.infer<typeof activePolicySchema>;

/** `GET` and `PATCH /api/v1/screening/disclaimer`; null while no policy is active. */
export const disclaimerSchema = z.strictObject({
  /** The text published beside every explanation: both parts. */
  disclaimer: z.string().nullable(),
  /** The notice that the text was made by an AI: a legal duty, so it is locked. */
  aiNotice: z.string().nullable(),
  /** The firm's own words. */
  text: z.string().nullable(),
  /** Hits of severity REVIEW in the firm's part. */
  hits: z.array(wordHitSchema),
  policyVersion: z.int().nullable(),
});
export type Disclaimer = z.infer<typeof disclaimerSchema>;

const scalar = z.union([z.string(), z.number(), z.boolean(), z.null()]);

const changedWordShape = {
  wordId: z.string(),
  word: z.string(),
  severity: z.enum(SEVERITIES),
  reason: z.enum(REASON_CODES).optional(),
  exceptions: exceptionsSchema,
  apart: apartSchema,
  replacements: z.array(z.string()).optional(),
};

/** One difference between a version and the one that was in force when it was published. */
export const policyChangeSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('FIRST'), words: z.int() }),
  z.strictObject({
    kind: z.enum(['WORD_ADDED', 'WORD_REMOVED', 'WORD_SWITCHED_ON', 'WORD_SWITCHED_OFF']),
    ...changedWordShape,
  }),
  z.strictObject({
    kind: z.literal('WORD_CHANGED'),
    ...changedWordShape,
    /** Its earlier value. */
    from: z
      .strictObject({
        severity: z.enum(SEVERITIES),
        reason: z.enum(REASON_CODES).optional(),
        exceptions: exceptionsSchema,
        apart: apartSchema,
        replacements: z.array(z.string()).optional(),
      })
      .optional(),
  }),
  /** A notice that is new (from null), gone (to null) or changed. */
  z.strictObject({
    kind: z.literal('NOTICE'),
    from: requiredNoticeSchema.nullable(),
    to: requiredNoticeSchema.nullable(),
  }),
  z.strictObject({ kind: z.literal('CRITERION'), criterion: z.string(), from: scalar, to: scalar }),
  z.strictObject({ kind: z.literal('DISCLAIMER'), from: z.string(), to: z.string() }),
  z.strictObject({ kind: z.literal('RESTORED'), version: z.int() }),
  /** The person's reason for the change. */
  z.strictObject({ kind: z.literal('NOTE'), text: z.string() }),
]);
export type PolicyChange = z.infer<typeof policyChangeSchema>;

/** A change of the policy, to be previewed, proposed or published. */
const policyDraftSchema = z.strictObject({
  addWords: z
    .array(
      z.strictObject({
        word: z.string(),
        severity: z.enum(SEVERITIES),
        reason: z.enum(REASON_CODES).optional(),
        exceptions: exceptionsSchema.optional(),
        apart: apartSchema,
        replacements: z.array(z.string()).optional(),
      }),
    )
    .optional(),
  changeWords: z
    .array(
      z.strictObject({
        id: z.string(),
        severity: z.enum(SEVERITIES).optional(),
        reason: z.enum(REASON_CODES).optional(),
        exceptions: exceptionsSchema.optional(),
        apart: apartSchema,
        replacements: z.array(z.string()).optional(),
      }),
    )
    .optional(),
  toggleWords: z.array(z.string()).optional(),
  addNotices: z.array(requiredNoticeSchema.omit({ id: true })).optional(),
  changeNotices: z.array(requiredNoticeSchema).optional(),
  criteria: criteriaSchema.partial().optional(),
  disclaimer: z.string().optional(),
  restoreVersion: z.int().optional(),
  /** When the version takes effect; null: at once; absent: with the version that waits, else at once (D212). */
  startsAt: instant.nullable().optional(),
});
export type PolicyDraft = z.infer<typeof policyDraftSchema>;

/** `GET /api/v1/screening/proposals`: a change that waits for a second person. */
export const policyProposalSchema = z.strictObject({
  id: z.string(),
  /** The version that it was based on: the one that waited for its start, else the one in force. */
  baseVersion: z.int(),
  displayName: z.string(),
  at: instant,
  /** Whether the caller proposed it; then another reviewer must publish it. */
  mine: z.boolean(),
  changes: z.array(policyChangeSchema),
  draft: policyDraftSchema,
});
export type PolicyProposal = z.infer<typeof policyProposalSchema>;

/** How a version that was published for later went on. */
const policyStartSchema = z.strictObject({
  startsAt: instant,
  /** `REPLACED`: a newer version was published before its start. */
  state: z.enum(['WAITING', 'STARTED', 'CANCELLED', 'REPLACED']),
  /** When it took effect, or was cancelled. */
  at: instant.nullable(),
  cancelledBy: z.string().nullable(),
  reason: z.string().nullable(),
});

const versionShape = {
  version: z.int(),
  author: z.string(),
  createdAt: instant,
  /** Whether it is the one in force. */
  active: z.boolean(),
  /** Null: it took effect when it was published. */
  start: policyStartSchema.nullable(),
  changes: z.array(policyChangeSchema),
};
export const policyVersionSchema = z.strictObject(versionShape);
export type PolicyVersionItem = z.infer<typeof policyVersionSchema>;

/** `GET /api/v1/screening/versions/{version}`: the whole snapshot. */
export const policyVersionDetailSchema = z.strictObject({
  ...versionShape,
  words: z.array(forbiddenWordSchema),
  notices: z.array(requiredNoticeSchema),
  criteria: criteriaSchema,
  disclaimer: z.strictObject({ aiNotice: z.string(), text: z.string() }),
});
export type PolicyVersionDetail = z.infer<typeof policyVersionDetailSchema>;

/** `GET /api/v1/screening/versions/{version}/differences`: how it differs from another version, earlier or later. */
export const policyDifferencesSchema = z.strictObject({
  from: policyVersionSchema,
  to: policyVersionSchema,
  changes: z.array(policyChangeSchema),
});
export type PolicyDifferences = z.infer<typeof policyDifferencesSchema>;

const findingsShape = {
  /** The text that was screened, in which the hits stand. */
  text: z.string(),
  /** The checks that it would fail; for one that would be exposed, the checks that it fails now. */
  reasons: z.array(checkResultSchema.omit({ policyVersion: true, matcherVersion: true })),
};
const OUTCOMES = ['AUTO_PUBLISHED', 'PENDING_REVIEW', 'BLOCKED'] as const;
const previewItemSchema = z.strictObject({
  id: z.string(),
  etf_ticker: z.string(),
  etf_name: z.string(),
  trade_date: z.iso.date(),
  explanation_as_of: instant,
  /** The present state; a preview changes nothing. */
  status: z.enum(EXPLANATION_STATUSES),
  before: z.enum(OUTCOMES),
  after: z.enum(OUTCOMES),
  ...findingsShape,
});
export type PreviewItem = z.infer<typeof previewItemSchema>;
const previewGroupSchema = z.strictObject({ count: z.int(), items: z.array(previewItemSchema) });

/** A text that is exposed now or would be after the change. */
const visibilityItemSchema = z.strictObject({
  id: z.string(),
  etf_ticker: z.string(),
  etf_name: z.string(),
  trade_date: z.iso.date(),
  explanation_as_of: instant,
  status: z.enum(['AUTO_PUBLISHED', 'PUBLISHED']),
});
const visibilityGroupSchema = z.strictObject({ count: z.int(), items: z.array(visibilityItemSchema) });

/** An exposed v1 text in which the change would find something that the policy in force does not. */
const caughtItemSchema = z.strictObject({
  ...visibilityItemSchema.shape,
  /** Version for sending it to review (D13). */
  version: z.int(),
  ...findingsShape,
});

/** A text that the screening blocked and that the change would not block; the findings are those of its screening. */
const freedItemSchema = z.strictObject({
  ...visibilityItemSchema.shape,
  status: z.literal('BLOCKED'),
  /** Version for sending it to review (D13). */
  version: z.int(),
  /** What the policy in force makes of it: where that is not BLOCKED, an earlier version has freed it. */
  before: z.enum(OUTCOMES),
  after: z.enum(OUTCOMES),
  ...findingsShape,
});
export type FreedItem = z.infer<typeof freedItemSchema>;

/** `POST /api/v1/screening/trial`: the words in a text, which nobody keeps. */
export const trialSchema = z.strictObject({
  /** Null while no policy is active. */
  policyVersion: z.int().nullable(),
  inForce: z.array(wordHitSchema),
  /** Under the changed policy. */
  draft: z.array(wordHitSchema),
});
export type Trial = z.infer<typeof trialSchema>;

const wordExampleSchema = z.strictObject({
  text: z.string(),
  /** A sentence of a received explanation, or one made of the word by inflection. */
  origin: z.enum(['LEDGER', 'MADE']),
  /** Empty where the word does not catch it. */
  hits: z.array(wordHitSchema),
});
export type WordExample = z.infer<typeof wordExampleSchema>;

/** `POST /api/v1/screening/words/examples`. */
export const wordExamplesSchema = z.strictObject({
  /** The parts by which the word is looked for; empty where its letters alone are. */
  parts: z.array(z.string()),
  examples: z.array(wordExampleSchema),
});
export type WordExamples = z.infer<typeof wordExamplesSchema>;

/** `POST /api/v1/screening/preview`: the effect of a change on the explanations of the last days. */
export const previewSchema = z.strictObject({
  /** The version that the change builds on; null while there is no policy. Effects are compared with the one in force. */
  policyVersion: z.int().nullable(),
  since: instant,
  /** The number of explanations that were screened under both. */
  examined: z.int(),
  /** Whether only the newest explanations were screened, because there were too many. */
  truncated: z.boolean(),
  changes: z.array(policyChangeSchema),
  newlyBlocked: previewGroupSchema,
  newlyReviewed: previewGroupSchema,
  newlyProvided: previewGroupSchema,
  /** Among all exposed texts, regardless of when they were received. */
  caughtExposed: z.strictObject({ count: z.int(), items: z.array(caughtItemSchema) }),
  /**
   * Among the latest 20,000 blocked texts, whenever they were received, those first that the policy in force blocks. A
   * new version moves none of them (D16, D209).
   */
  freedBlocks: z.strictObject({ count: z.int(), items: z.array(freedItemSchema) }),
  /** With another expiry time: the texts exposed again at once, and those hidden at once; */
  exposedAgain: visibilityGroupSchema,
  exposedNoMore: visibilityGroupSchema,
  /** and exposed texts that would stay exposed for longer, or for a shorter time. */
  exposedLonger: visibilityGroupSchema,
  exposedShorter: visibilityGroupSchema,
});
export type Preview = z.infer<typeof previewSchema>;
