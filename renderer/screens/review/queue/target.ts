export type TargetState = 'within' | 'near' | 'over';

/** From this share of the target on, an item is close to it. */
const NEAR = 0.75;

/** The state of a wait against the target. @param age working time, in ms */
export function targetStateOf(age: number, minutes: number): TargetState {
  const target = minutes * 60_000;
  if (age > target) return 'over';
  return age >= target * NEAR ? 'near' : 'within';
}
