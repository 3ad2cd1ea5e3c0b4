/** JSON pointers of verdicts (`/runs/0/deadline`, `previous/queues`) and their targets. */
import type { ReadFacts } from '../../../rules/rule.ts';

export interface Pointed {
  /** The pointer without its root. */
  path: string;
  /** Whether it leads into the earlier facts. */
  isEarlier: boolean;
  /** Undefined: the fact is absent. */
  value: unknown;
  /** Pointer and value of its container: the row of its axis, or the axis itself. */
  owner: { pointer: string; value: unknown };
}

/** The most facts of a verdict that are listed; more are counted. One without signals of a large day reads thousands. */
export const MOST_FACTS = 40;

const EARLIER = 'previous';

export function follow(pointer: string, facts: ReadFacts, previous: ReadFacts | null): Pointed {
  const isEarlier = pointer.startsWith(EARLIER);
  const path = isEarlier ? pointer.slice(EARLIER.length) : pointer;
  const root = isEarlier ? previous : facts;
  const owner = ownerOf(path);
  return {
    path,
    isEarlier,
    value: valueAt(root, path),
    owner: { pointer: isEarlier ? `${EARLIER}${owner}` : owner, value: valueAt(root, owner) },
  };
}

function valueAt(root: unknown, path: string): unknown {
  let place = root;
  for (const name of path.split('/').slice(1))
    place =
      typeof place === 'object' && place !== null && Object.hasOwn(place, name)
        ? (place as Readonly<Record<string, unknown>>)[name]
        : undefined;
  return place;
}

/** A field belongs to its row; a row and an axis belong to themselves. */
function ownerOf(path: string): string {
  const names = path.split('/');
  const last = names.at(-1) ?? '';
  return names.length <= 2 || /^\d+$/.test(last) || (names.length === 3 && names[1] === 'chain')
    ? path
    : names.slice(0, -1).join('/');
}
