/**
 * Decides a load's outcome, as a pure function: the table of sync protocol 3 and nothing else.
 */
import type { Load } from './load.ts';

export type Decision =
  /** Publish; `withdrawFirst` holds the reason to withdraw the route's published copy first. */
  | { kind: 'publish'; withdrawFirst: string | null }
  | { kind: 'draft'; reason: 'route_already_published' | 'surface_absent' }
  /** A backfill that writes no row at all. */
  | { kind: 'nothing'; outcome: 'SKIPPED' | 'FAILED'; reason: string; message: string };

/** @param routeIsPublished whether the load's route has a published result at this moment */
export function decide(load: Load, routeIsPublished: boolean): Decision {
  switch (load.mode) {
    case 'V2':
      // No check of any kind: a v2 analysis is always published.
      return { kind: 'publish', withdrawFirst: null };
    case 'BACKFILL': {
      if (load.failure !== null) {
        const { exception_type: type, message } = load.failure;
        return isValueError(type)
          ? { kind: 'nothing', outcome: 'SKIPPED', reason: 'value_error', message: `${type}: ${message}` }
          : { kind: 'nothing', outcome: 'FAILED', reason: 'BACKFILL_FAILED', message: `${type}: ${message}` };
      }
      if (load.result === null || !hasSurface(load.result.surface)) {
        return {
          kind: 'nothing',
          outcome: 'SKIPPED',
          reason: 'surface_absent',
          message: 'The window left no measured values, so nothing was loaded.',
        };
      }
      return routeIsPublished
        ? { kind: 'draft', reason: 'route_already_published' }
        : { kind: 'publish', withdrawFirst: null };
    }
    case 'REALTIME':
    case 'DAILY': {
      // Any exception type counts; an exception with measured values does not hold a text back.
      if (!hasSurface(load.result.surface)) return { kind: 'draft', reason: 'surface_absent' };
      if (!routeIsPublished) return { kind: 'publish', withdrawFirst: null };
      return load.republication === null
        ? { kind: 'draft', reason: 'route_already_published' }
        : { kind: 'publish', withdrawFirst: load.republication.reason };
    }
  }
}

function hasSurface(surface: Record<string, number> | null): boolean {
  return surface !== null && Object.keys(surface).length > 0;
}

/** The engine's ValueError, with or without its module in front. */
function isValueError(exceptionType: string): boolean {
  return exceptionType.split('.').at(-1) === 'ValueError';
}
