/** The relay's routes: the cloud's one path with two parameters (D39), and a few of its own. */
import type { IncomingMessage } from 'node:http';
import { HEALTH_METHODS } from '../../shared/service/http/health.ts';
import { APPLIED_HEADER, readApplied, type Applied } from '../../shared/wire/applied.ts';
import { BUNDLE_PATH, PREFER_HEADER, waitSecondsOf } from '../../shared/wire/bundle-endpoint.ts';
import { ApiError } from '../../shared/wire/envelope.ts';
import { RELAY_CONTROL } from '../../shared/wire/relay.ts';

/** Of the caller's headers all that passes, each null where it is absent or has another form. */
export interface PassingHeaders {
  /** Of `Prefer` (D223). */
  waitSeconds: number | null;
  /** Of `X-Causeway-Applied` (D230). */
  applied: Applied | null;
}

/** The purpose of a request. `query` is raw, without the question mark. */
export type RequestRoute =
  | ({ kind: 'pull'; query: string } & PassingHeaders)
  | { kind: 'health' }
  | { kind: 'status' }
  | { kind: 'metrics' }
  | { kind: 'control'; action: ControlAction };

export type ControlAction = keyof typeof RELAY_CONTROL;

const PARAMETERS = new Set(['after', 'limit']);
const ACTIONS = new Map<string, ControlAction>(
  (Object.keys(RELAY_CONTROL) as ControlAction[]).map((action) => [RELAY_CONTROL[action], action]),
);

/** @throws ApiError for a request without a route */
export function routeOf(request: IncomingMessage): RequestRoute {
  refuseAmbiguous(request);
  const target = request.url ?? '';
  const mark = target.indexOf('?');
  const path = mark < 0 ? target : target.slice(0, mark);
  const query = mark < 0 ? '' : target.slice(mark + 1);
  const action = ACTIONS.get(target);
  if (request.method === 'POST' && action !== undefined) return { kind: 'control', action };
  if (path === '/health' && HEALTH_METHODS.some((method) => method === request.method)) return { kind: 'health' };
  if (request.method !== 'GET')
    throw new ApiError('COMMON403', 'The relay takes GET requests only, and POST on its control paths.');
  switch (path) {
    case BUNDLE_PATH:
      return {
        kind: 'pull',
        query: knownParameters(query),
        waitSeconds: waitSecondsOf(request.headers[PREFER_HEADER]),
        applied: readApplied(request.headers[APPLIED_HEADER]),
      };
    case '/status':
      return { kind: 'status' };
    case '/metrics':
      return { kind: 'metrics' };
    default:
      throw new ApiError('COMMON403', `The relay forwards ${BUNDLE_PATH} and nothing else.`);
  }
}

/** Refuses requests that two readers could understand differently, or in which one would wait for the other. */
function refuseAmbiguous({ headers }: IncomingMessage): void {
  if (headers.expect !== undefined) throw new ApiError('COMMON400', 'The relay takes no Expect header.');
}

/** The query unchanged. The values are the cloud's to judge; of the names only two exist. */
function knownParameters(query: string): string {
  const names = query.split('&').map((pair) => pair.split('=', 1)[0] ?? '');
  const others = query === '' ? [] : [...new Set(names.filter((name) => !PARAMETERS.has(name)))];
  if (others.length > 0) {
    throw new ApiError(
      'COMMON400',
      'The relay forwards the parameters after and limit only.',
      others
        .slice(0, 10)
        .map((name) => ({ path: `query.${name.slice(0, 100)}`, message: 'is not a parameter of the bundle endpoint' })),
    );
  }
  // HTTP allows only printable ASCII in a query.
  if (!/^[\x21-\x7e]*$/.test(query))
    throw new ApiError('COMMON400', 'The query holds characters that are not allowed in an address.');
  return query;
}
