/** Which form of an answer a request asks for. */

/**
 * The one of `others` that `Accept` prefers to `usual` (RFC 9110 section 12.5.1), the earlier where it prefers none of
 * them; null where it takes the usual one. A weight of 0 refuses.
 */
export function preferred<Type extends string>(accept = '', usual: string, others: readonly Type[]): Type | null {
  const weights = new Map(
    accept.split(',').map((range) => {
      const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
      const weight = parameters.flatMap((parameter) => /^q=(\d(?:\.\d{1,3})?)$/.exec(parameter)?.[1] ?? []).at(0);
      return [type, Number(weight ?? 1)];
    }),
  );
  const weightOf = (type: string): number => weights.get(type) ?? 0;
  const [best] = others.toSorted((a, b) => weightOf(b) - weightOf(a));
  return best !== undefined && weightOf(best) > 0 && weightOf(best) >= weightOf(usual) ? best : null;
}
