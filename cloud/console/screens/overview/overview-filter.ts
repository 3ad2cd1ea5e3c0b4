/** What of the overview is shown; all of it stands in the address. */
import {
  OPERATIONAL_STATES,
  type LaneOverview,
  type OperationalState,
} from '../../../../shared/wire/operator/operator.ts';
import { readDay, readWord } from '../../navigation/address.ts';

export interface OverviewFilter {
  /** The last day that is looked at; null for today. */
  date: string | null;
  state: OperationalState | null;
  /** The run that is looked at in the pane; null for the latest of the lane. */
  run: string | null;
}

export function readOverviewFilter(params: URLSearchParams): OverviewFilter {
  return {
    date: readDay(params.get('date')),
    state: readWord(params.get('state'), OPERATIONAL_STATES),
    run: params.get('run'),
  };
}

/** How many lanes are in each state, those without any included. */
export function countStates(lanes: readonly Pick<LaneOverview, 'state'>[]): Record<OperationalState, number> {
  const counts = Object.fromEntries(OPERATIONAL_STATES.map((state) => [state, 0])) as Record<OperationalState, number>;
  for (const { state } of lanes) counts[state] += 1;
  return counts;
}
