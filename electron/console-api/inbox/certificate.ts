/**
 * The tenant's certificate, which the relay holds: shows it, replaces it, reconnects (D17).
 *
 * A rollback of the ledger cannot undo the relay's action. So the intention is recorded before the call (`….asked`),
 * and the outcome afterwards: a row of the action itself, or `….refused`. An intention without either means that the
 * console stopped in between, and an administrator must check the relay's state.
 */
import { X509Certificate } from 'node:crypto';
import { z } from 'zod';
import { recordAction } from '../../../agent/ledger/audit/audit.ts';
import { readCursors } from '../../../agent/ledger/inbox/raw-bundles.ts';
import type {
  CertificateView,
  SyncCertificate,
  SyncCertificateInstalled,
  SyncCertificateRequest,
  SyncReconnected,
} from '../../../shared/wire/console/console.ts';
import {
  certificateInstalledSchema,
  certificateRequestSchema,
  certificateViewSchema,
  reconnectedSchema,
} from '../../../shared/wire/console/sync.ts';
import { ApiError } from '../../../shared/wire/envelope.ts';
import {
  RELAY_CONTROL,
  type CertificateInstalled,
  type CertificateReplacement,
  type CertificateRequestMade,
  type CertificateRequestOrder,
  type Reconnected,
} from '../../../shared/wire/relay.ts';
import { actorOf, type Caller, type ConsoleContext } from '../context/context.ts';
import { endpoint, type Call } from '../http/endpoint.ts';
import { askRelay, type RelayAccess } from '../context/relay-client.ts';
import { requiredText } from '../http/schemas.ts';

const DAY_MS = 86_400_000;
const pem = requiredText(64 * 1024);

const instant = z.string().refine((text) => !Number.isNaN(Date.parse(text)));

/** The fields read from the relay's answers: another version of it may add more. */
const factsSchema = z.object({
  subject: z.string(),
  issuer: z.string(),
  fingerprint: z.string(),
  validFrom: instant,
  validTo: instant,
});
const probeSchema = z.object({ ...reconnectedSchema.shape.probe.shape });
const statusSchema = z.object({
  certificate: factsSchema,
  certificateProblem: z.object({ message: z.string() }).nullable(),
});
const installedSchema: z.ZodType<CertificateInstalled> = z.object({
  certificate: factsSchema,
  previous: factsSchema.nullable(),
  probe: probeSchema,
});
const reconnectSchema: z.ZodType<Reconnected> = z.object({ certificate: factsSchema, probe: probeSchema });
const requestMadeSchema: z.ZodType<CertificateRequestMade> = z.object({ request: z.string() });

export const certificateHandlers = {
  'GET /api/v1/sync/certificate': endpoint({
    summary: 'The certificate that the relay shows to the cloud, with the days that it is still valid',
    result: certificateViewSchema,
    handle: async ({ context }): Promise<CertificateView> => {
      if (context.relay === null) return { relay: 'NOT_CONFIGURED', certificate: null, problem: null };
      try {
        const { certificate, certificateProblem } = await askRelay(context.relay, {
          method: 'GET',
          path: '/status',
          answer: statusSchema,
        });
        return {
          relay: 'OK',
          certificate: withDays(certificate, context),
          problem: certificateProblem?.message ?? null,
        };
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        return { relay: 'UNREACHABLE', certificate: null, problem: error.message };
      }
    },
  }),

  'POST /api/v1/sync/certificate': endpoint({
    summary: 'Replace the certificate; the relay tries the new one before it takes it',
    body: z.strictObject({ certificate: pem, key: pem.optional() }),
    result: certificateInstalledSchema,
    handle: async (call): Promise<SyncCertificateInstalled> => {
      const { certificate, key } = call.body;
      const { tenantId: tenant } = readCursors(call.context.ledger);
      const replacement: CertificateReplacement = {
        certificate,
        ...(key === undefined ? {} : { key }),
        ...(tenant === null ? {} : { tenantId: tenant }),
      };
      return install(call, 'sync.certificate-replaced', RELAY_CONTROL.certificate, replacement);
    },
  }),

  'POST /api/v1/sync/certificate/previous': endpoint({
    summary: 'Go back to the certificate before',
    result: certificateInstalledSchema,
    handle: (call): Promise<SyncCertificateInstalled> =>
      install(call, 'sync.certificate-returned', RELAY_CONTROL.previous),
  }),

  'POST /api/v1/sync/certificate/request': endpoint({
    summary: 'Make a certificate request whose key never leaves the relay',
    result: certificateRequestSchema,
    handle: async (call): Promise<SyncCertificateRequest> => {
      const order: CertificateRequestOrder = {};
      return callRelay(call, {
        action: 'sync.certificate-requested',
        path: RELAY_CONTROL.request,
        body: order,
        answer: requestMadeSchema,
      });
    },
  }),

  'POST /api/v1/sync/reconnect': endpoint({
    summary: 'Drop the connections to the cloud and try at once',
    result: reconnectedSchema,
    handle: async (call): Promise<SyncReconnected> => {
      const answer = await callRelay(call, {
        action: 'sync.reconnected',
        path: RELAY_CONTROL.reconnect,
        answer: reconnectSchema,
        told: ({ probe }) => ({ outcome: probe.outcome }),
      });
      return { certificate: withDays(answer.certificate, call.context), probe: answer.probe };
    },
  }),
};

type Asked = Pick<Call<Caller, unknown, unknown, unknown>, 'caller' | 'context' | 'write'>;

async function install(
  call: Asked,
  action: string,
  path: string,
  body?: CertificateReplacement,
): Promise<SyncCertificateInstalled> {
  const { certificate, previous, probe } = await callRelay(call, {
    action,
    path,
    answer: installedSchema,
    told: (installed) => ({
      fingerprint: installed.certificate.fingerprint,
      validTo: installed.certificate.validTo,
      outcome: installed.probe.outcome,
    }),
    ...(body === undefined ? {} : { body, intended: { fingerprint: fingerprintOf(body.certificate) } }),
  });
  return {
    certificate: withDays(certificate, call.context),
    previous: previous === null ? null : withDays(previous, call.context),
    probe,
  };
}

interface RelayCall<A> {
  /** The action in the audit log, once the relay has done it. */
  action: string;
  path: string;
  body?: object;
  answer: z.ZodType<A>;
  /** The detail of the audit rows before and after the call. Never a key. */
  intended?: Record<string, unknown>;
  told?: (answer: A) => Record<string, unknown>;
}

/** @throws ApiError COMMON400, COMMON409, COMMON503 */
async function callRelay<A>(call: Asked, { action, path, body, answer, ...on }: RelayCall<A>): Promise<A> {
  const relay = relayOf(call.context);
  const asked = await record(call, `${action}.asked`, on.intended ?? {});
  let done: A;
  try {
    done = await askRelay(relay, { method: 'POST', path, body, answer });
  } catch (error) {
    const why = error instanceof ApiError ? { code: error.code, message: error.message } : { code: 'COMMON500' };
    await record(call, `${action}.refused`, { asked, ...why });
    throw error;
  }
  await record(call, action, { asked, ...on.told?.(done) });
  return done;
}

/** Null for an invalid certificate, which the relay then refuses. */
function fingerprintOf(certificate: string): string | null {
  try {
    return new X509Certificate(certificate).fingerprint256.replaceAll(':', '').toLowerCase();
  } catch {
    return null;
  }
}

/** @returns the number of the audit row */
function record({ caller, context, write }: Asked, action: string, detail: Record<string, unknown>): Promise<number> {
  const at = context.clock.now().toISOString();
  return write((tx) =>
    recordAction(tx, { at, actor: actorOf(caller), action, targetType: 'sync', targetId: null, detail }),
  );
}

/** @throws ApiError COMMON409 */
function relayOf(context: ConsoleContext): RelayAccess {
  if (context.relay === null) {
    throw new ApiError('COMMON409', 'This console has no relay: set CAUSEWAY_CONSOLE_RELAY.');
  }
  return context.relay;
}

function withDays(facts: z.infer<typeof factsSchema>, context: ConsoleContext): SyncCertificate {
  const left = new Date(facts.validTo).getTime() - context.clock.now().getTime();
  return {
    ...facts,
    validFrom: new Date(facts.validFrom).toISOString(),
    validTo: new Date(facts.validTo).toISOString(),
    daysToExpiry: Math.floor(left / DAY_MS),
  };
}
