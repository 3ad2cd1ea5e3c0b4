/**
 * Decides which request targets name a route of the policy. The router is lenient: it decodes escapes before it
 * matches, cuts at `#` and strips the host of an absolute target. Here a path names a route only in its exact spelling;
 * any other target is a surface that does not exist (D6).
 */
import { pathOf } from '../../../shared/service/http/target.ts';

/** Given to the router in place of a target that names no route. No route has this path. */
export const UNROUTABLE = '/-/unroutable';

/** The longest accepted path, and the longest parameter in it, in characters. */
const LONGEST_PATH = 2_000;
export const LONGEST_PARAMETER = 200;

/** The target for the router: the given one, or `UNROUTABLE` if the router would fail on it. */
export function routableTarget(target: string): string {
  const path = pathOf(target);
  if (!path.startsWith('/') || path.length > LONGEST_PATH) return UNROUTABLE;
  const segments = path.split('/');
  const fits = segments.every((segment) => {
    const text = decoded(segment);
    return text !== null && text.length <= LONGEST_PARAMETER;
  });
  return fits ? target : UNROUTABLE;
}

/**
 * Whether a path is written exactly as a route of the policy (`/api/v1/explanations/{id}`): fixed parts literally, and
 * parameters that remain one segment when decoded.
 */
export function isExactly(routePath: string, path: string): boolean {
  const wanted = routePath.split('/');
  const given = path.split('/');
  return (
    wanted.length === given.length &&
    wanted.every((part, at) => {
      const segment = given[at] ?? '';
      return part.startsWith('{') ? isOneStep(segment) : part === segment;
    })
  );
}

function isOneStep(segment: string): boolean {
  const text = decoded(segment);
  return text !== null && text !== '' && text !== '.' && text !== '..' && !/[/\\]/.test(text) && !segment.includes('#');
}

/** Null for a broken escape or invalid UTF-8. */
function decoded(segment: string): string | null {
  try {
    return decodeURIComponent(segment);
  } catch {
    return null;
  }
}
