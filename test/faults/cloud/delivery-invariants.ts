/**
 * Invariants of the delivery records of all tenants, for any order of publications, withdrawals and acts of
 * operators (sync protocol 3, fan-out rules 1 to 4).
 */
import type { DeliveryRow } from '../../support/cloud/store.ts';

/** One issued record: a NEW, or its INVALIDATION. */
export interface Told {
  kind: 'NEW' | 'INVALIDATION';
  id: string;
}

export function told(row: DeliveryRow): Told {
  const id =
    row.explanation_result_id ??
    row.movement_analysis_id ??
    row.target_explanation_result_id ??
    row.target_movement_analysis_id;
  if (id === null) throw new Error(`the record ${row.tenant_id}:${row.cursor} is about nothing`);
  return { kind: row.delivery_type, id };
}

/** The records of a tenant that was there from fan-out `from` to before fan-out `to` of the witness. */
export function expectedOf(witness: readonly Told[], from: number, to: number): Told[] {
  const received = new Set<string>();
  return witness.slice(from, to).filter(({ kind, id }) => {
    if (kind === 'NEW') received.add(id);
    return received.has(id);
  });
}

/**
 * The violations of a witness: a tenant from the first record to the last.
 *
 * @param published every id that was ever published
 * @param withdrawn those that are withdrawn now
 */
export function violationsOfWitness(
  witness: readonly Told[],
  published: ReadonlySet<string>,
  withdrawn: ReadonlySet<string>,
): string[] {
  const problems: string[] = [];
  const [seen, gone] = [new Set<string>(), new Set<string>()];
  for (const { kind, id } of witness) {
    if (kind === 'NEW' && seen.has(id)) problems.push(`${id} was sent twice`);
    if (kind === 'INVALIDATION' && gone.has(id)) problems.push(`${id} was withdrawn twice`);
    if (kind === 'INVALIDATION' && !seen.has(id)) problems.push(`${id} was withdrawn below its NEW`);
    (kind === 'NEW' ? seen : gone).add(id);
  }
  if (seen.symmetricDifference(published).size > 0)
    problems.push(`sent: ${[...seen].join(' ')}, but published: ${[...published].join(' ')}`);
  if (gone.symmetricDifference(withdrawn).size > 0)
    problems.push(`told as withdrawn: ${[...gone].join(' ')}, but withdrawn: ${[...withdrawn].join(' ')}`);
  return problems;
}

/**
 * The violation of another tenant, or null: its records, of which those up to `floor` are removed, must equal the
 * witness's of the same time, and its cursors count up without a hole.
 *
 * @param head the store's last cursor of the tenant; null for a removed tenant
 */
export function violationOfTenant(
  witness: readonly Told[],
  rows: readonly DeliveryRow[],
  floor: number,
  head: number | null,
): string | null {
  const holes = rows.some((row, index) => row.cursor !== floor + index + 1);
  if (holes) return `cursors ${rows.map((row) => row.cursor).join(' ')} above ${floor}`;
  const own = rows.map(told);
  for (let from = 0; from <= witness.length; from += 1) {
    // A tenant that was not removed is there to the end.
    for (let to = head === null ? from : witness.length; to <= witness.length; to += 1) {
      const expected = expectedOf(witness, from, to);
      if (head !== null && expected.length !== head) continue;
      const rest = expected.slice(floor);
      if (rest.length === own.length && rest.every(({ kind, id }, at) => kind === own[at]?.kind && id === own[at].id))
        return null;
    }
  }
  return `no time of membership explains ${own.map(({ kind, id }) => `${kind} ${id}`).join(', ')} (floor ${floor}, head ${head})`;
}
