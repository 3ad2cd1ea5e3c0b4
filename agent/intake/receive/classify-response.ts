/** Classifies an answer for the Intake: the table of sync protocol 7, D31, D33, D55 and D59. A pure function. */
import type { Bundle } from '../../../shared/wire/bundle.ts';
import type { SyncState } from '../../../shared/wire/console/console.ts';
import { oneLine } from '../../../shared/wire/invisible.ts';
import { checkEnvelope } from './envelope.ts';
import type { Answer } from './pull.ts';
import { checkStatement, type Verification } from './statement.ts';

export interface Position {
  /** The committed cursor, as it was sent. */
  after: number;
  tenantId: number | null;
  /** The last head; a head below the cursor stays until a higher one arrives. */
  lastHead: number | null;
  /** Null without a verification key: the head is the header's then (D31). */
  verification: Verification | null;
  now: Date;
}

export interface Failed {
  kind: 'FAILED';
  state: Exclude<SyncState, 'NEVER' | 'OK'>;
  /** The answer's own code, or one that names its origin. */
  code: string;
  /** The fault and its remedy, in one or two sentences. */
  message: string;
  /** Not to ask again before so many milliseconds, as the upstream wishes. */
  retryAfterMs: number;
  /** Whether the body is quarantined (D33). */
  quarantine: boolean;
  head?: number;
}

interface Stated {
  head: number | null;
  statedAt: string | null;
}

export type Classification =
  /** `statement`: as received, once it is verified; `statedAt`: its time. */
  | ({ kind: 'BUNDLE'; bundle: Bundle; signature: string | null; statement: string | null } & Stated)
  | ({ kind: 'NOTHING_NEW' } & Stated)
  | Failed;

export function classifyResponse(answer: Answer, position: Position): Classification {
  if (answer.status !== 200) return classifyStatus(answer, position);
  if (position.verification === null) {
    const head = readHeadHeader(answer.head);
    if (head === 'UNREADABLE')
      return violation('HEAD', `The header X-Causeway-Head is no cursor: "${answer.head?.slice(0, 40)}".`);
    return classifyBody(answer, position, { head, tenantId: position.tenantId, statement: null, statedAt: null });
  }
  const stated = checkStatement(position.verification, answer, position);
  if (stated.kind === 'BAD') return violation(stated.code, stated.reason);
  const { head, tenant_id: tenantId, at: statedAt } = stated.statement;
  return classifyBody(answer, position, { head, tenantId, statement: answer.statement, statedAt });
}

/** The facts beside the body: from the vendor's statement, or, without a key, from the header and the ledger. */
interface Known extends Stated {
  tenantId: number | null;
  statement: string | null;
}

function classifyBody(
  answer: Answer,
  position: Position,
  { head, tenantId, statement, statedAt }: Known,
): Classification {
  const highest = head ?? position.lastHead;
  if (highest !== null && highest < position.after) return regressed(highest, position.after);
  const checked = checkEnvelope(answer.body, { after: position.after, tenantId });
  switch (checked.kind) {
    case 'BUNDLE': {
      const jump = head === null ? null : jumpBeyond(head, checked.bundle);
      if (jump !== null) return violation('JUMP', jump);
      return {
        kind: 'BUNDLE',
        bundle: checked.bundle,
        head: atLeast(head, checked.bundle.cursor_to),
        signature: answer.signature,
        statement,
        statedAt,
      };
    }
    case 'NOTHING_NEW':
      return { kind: 'NOTHING_NEW', head, statedAt };
    case 'VIOLATION':
      return violation('ENVELOPE', checked.reason);
  }
}

function readHeadHeader(text: string | null): number | null | 'UNREADABLE' {
  if (text === null) return null;
  const head = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
  return Number.isSafeInteger(head) ? head : 'UNREADABLE';
}

/**
 * Records that came between the reading of the head and that of the entries follow the head one by one. A gap beyond it
 * is a cursor that jumped (fault 19): committed, it would hide every record that falls into the gap.
 */
function jumpBeyond(head: number, { cursor_from, entries }: Bundle): string | null {
  let last = Math.max(head, cursor_from);
  for (const { cursor } of entries) {
    if (cursor > last + 1)
      return `The bundle has an entry with cursor ${cursor}, and the cloud reports ${head} as its highest cursor.`;
    last = Math.max(last, cursor);
  }
  return null;
}

/** A head that was looked up just before the entries may lie below them. */
function atLeast(head: number | null, cursorTo: number): number | null {
  return head === null ? null : Math.max(head, cursorTo);
}

/** The message may contain words of the answer. */
const LONGEST_REASON = 500;

function violation(code: string, reason: string): Failed {
  const message = `${oneLine(reason).slice(0, LONGEST_REASON)} Nothing was committed, the answer is kept in quarantine, and the next poll asks again; if it stays so, tell the vendor.`;
  return { kind: 'FAILED', state: 'VIOLATION', code, message, retryAfterMs: 0, quarantine: true };
}

function regressed(head: number, after: number): Failed {
  return {
    kind: 'FAILED',
    state: 'REGRESSED',
    code: 'HEAD_BELOW_CURSOR',
    message:
      `The cloud's highest cursor is ${head}, below the committed cursor ${after}: the cloud has lost records. ` +
      'Nothing more is applied until it reports a cursor that is not below; see that the client certificate is this tenant’s, ' +
      'and tell the vendor. If its records do end there, ' +
      `"intake set-aside ${head}" sets aside what was received beyond them.`,
    retryAfterMs: 0,
    quarantine: false,
    head,
  };
}

function classifyStatus(answer: Answer, { after, now }: Position): Failed {
  const { status } = answer;
  const said = readFailure(answer.body);
  // Waiting longer does not cure a lasting fault (sync protocol 7).
  const mayPass = status >= 500 || status === 429;
  const retryAfterMs = mayPass ? readRetryAfter(answer.retryAfter, now) : 0;
  const fail = (state: Failed['state'], what: string): Failed => ({
    kind: 'FAILED',
    state,
    code: said?.code ?? `HTTP_${status}`,
    message: said === null ? `HTTP ${status}: ${what}` : `${said.message} (${said.code}, HTTP ${status}): ${what}`,
    retryAfterMs,
    quarantine: false,
  });
  if (status === 401) {
    return fail(
      'UNAUTHORIZED',
      'the client certificate was not accepted. See that it is this tenant’s and has not expired, and replace it if need be.',
    );
  }
  if (status === 403) {
    return fail(
      'FORBIDDEN',
      'the client certificate is revoked, or the tenant does not exist any more. Ask the vendor for a new certificate.',
    );
  }
  if (status === 410) {
    return fail(
      'GONE',
      `the records after cursor ${after} are no longer kept by the cloud, so this ledger cannot catch up by itself. Ask the vendor how to go on.`,
    );
  }
  if (status >= 500) return fail('RETRYING', 'the next poll asks again.');
  if (status === 429) return fail('REFUSED', 'too many requests. The next poll asks again.');
  if (status === 400)
    return fail('REFUSED', 'the request is not valid, and a retry does not help. Install an update of this program.');
  return fail(
    'REFUSED',
    'a retry does not help. Check that CAUSEWAY_INTAKE_UPSTREAM is the address of the relay or the cloud.',
  );
}

/** The message of a failure's envelope, cut to a length that a status line bears. */
function readFailure(body: Uint8Array): { code: string; message: string } | null {
  if (body.length > 65_536) return null;
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(body).toString('utf8'));
  } catch {
    // The body is not an envelope, for example a proxy's own page: the status alone decides.
    return null;
  }
  if (typeof value !== 'object' || value === null || !('code' in value) || !('message' in value)) return null;
  const { code, message } = value;
  if (typeof code !== 'string' || typeof message !== 'string' || !/^\w{1,40}$/.test(code)) return null;
  return { code, message: oneLine(message.toWellFormed().slice(0, 300)) };
}

/** An upstream may not silence the Intake for longer than this. */
const LONGEST_RETRY_AFTER_MS = 15 * 60_000;

/** `Retry-After` in seconds or as a date, within bounds; an unreadable one counts as absent. */
function readRetryAfter(text: string | null, now: Date): number {
  if (text === null) return 0;
  const ms = /^\d{1,9}$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - now.getTime();
  return Number.isNaN(ms) ? 0 : Math.min(Math.max(ms, 0), LONGEST_RETRY_AFTER_MS);
}
