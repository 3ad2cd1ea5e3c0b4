/**
 * What is known of words: the next version of a policy, its preview and a trial have nearly all words and exceptions of the
 * one before, and to analyse them takes several times as long as all else that a matcher is built of.
 */

/** Twice the largest list. */
const MOST_KNOWN = 10_000;

/** The same function, which remembers what it said of a word. @throws as `read` */
export function knowing<T extends object | string>(read: (word: string) => T): (word: string) => T {
  const known = new Map<string, T>();
  return (word) => {
    const before = known.get(word);
    if (before !== undefined) return before;
    if (known.size >= MOST_KNOWN) known.clear();
    const told = read(word);
    known.set(word, told);
    return told;
  };
}
