/**
 * Names that no eye can tell apart (D225): Unicode's confusables (UTS 39), read from the table of `unhomoglyph`, after
 * NFKC, with one space for many. Case is folded on both sides of the table, which has `B` beside the Cyrillic `В`, and `l`
 * beside `I`.
 */
import confusables from 'unhomoglyph/data.json' with { type: 'json' };
import type { Db } from '../store/open.ts';

const SEEN_AS = new Map(Object.entries(confusables));
const SPACES = /\s+/gu;
/** Folding one letter may make another one of the table; two or three rounds reach a fixed point. */
const MOST_ROUNDS = 8;

/** The same for two names that look alike, and for no others but `i` and `l`, which capitals make one. */
export function lookOf(name: string): string {
  let look = name;
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    const next = seen(folded(seen(look.normalize('NFKC')))).normalize('NFKC');
    if (next === look) break;
    look = next;
  }
  return look.replaceAll(SPACES, ' ').trim();
}

const seen = (text: string): string => Array.from(text, (letter) => SEEN_AS.get(letter) ?? letter).join('');

/** Capitals first: they unify ß, ſ and ς with their other spellings. */
const folded = (text: string): string => text.toUpperCase().toLowerCase().replaceAll('i', 'l');

/** The ids of those that look like another one in the list. */
export function namesakesIn(named: readonly { id: number; name: string }[]): Set<number> {
  const byLook = Map.groupBy(named, ({ name }) => rememberedLook(name));
  return new Set(
    [...byLook.values()].filter((group) => group.length > 1).flatMap((group) => group.map(({ id }) => id)),
  );
}

/** The existing tenants whose name looks like another one's, in any environment: lists show their numbers beside it. */
export async function readNamesakes(db: Db): Promise<ReadonlySet<number>> {
  const named = await db
    .selectFrom('tenant')
    .select(['tenant_id as id', 'name'])
    .where('removed_at', 'is', null)
    .execute();
  return namesakesIn(named);
}

/** Lists ask for the same names again every half a minute. */
const looks = new Map<string, string>();
const MOST_REMEMBERED = 20_000;

function rememberedLook(name: string): string {
  const known = looks.get(name);
  if (known !== undefined) return known;
  if (looks.size >= MOST_REMEMBERED) looks.clear();
  const look = lookOf(name);
  looks.set(name, look);
  return look;
}
