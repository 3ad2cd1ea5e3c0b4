/** The messages of a restore about decisions. */
import type { Lost, Replayed } from './beyond.ts';

const MOST_LINES = 50;

/** The decisions that the journal brought back, and those that it could not. */
export function lossText(replayed: Replayed | null, lost: Lost): string[] {
  if (replayed === null) return [lostText(lost)];
  const { made, unmade, lacking, unproved, dropped } = replayed;
  const losses = unmade.map(({ seq, why, actions }) => `Lost: record ${seq} (${actions.join(', ')}): ${why}`);
  return [
    `${made} changes of the decision journal were made again.`,
    ...unproved.map(({ seq, why, actions }) => `Not proved: record ${seq} (${actions.join(', ')}): ${why}.`),
    ...dropped.map(({ seq, why, actions }) => `Left out: record ${seq} (${actions.join(', ')}): ${why}.`),
    ...losses.slice(0, MOST_LINES),
    ...(losses.length > MOST_LINES ? [`And ${losses.length - MOST_LINES} more records.`] : []),
    ...(lacking === null ? [] : [lacking, lostText(lost)]),
    ...(losses.length + dropped.length === 0 && lacking === null
      ? ['No decision and no setting is lost. Everybody logs in again.']
      : []),
  ];
}

/** A restore's losses as a sentence. */
function lostText({ since, actions }: Lost): string {
  if (actions === null)
    return (
      `The last row of the backup's audit log is ${since === null ? 'none' : `from ${since}`}. No ledger is there that tells ` +
      'whether people have decided or changed anything since; if so, that is lost.'
    );
  const counts = Object.entries(actions).map(([action, count]) => `${count} ${action}`);
  return counts.length === 0
    ? 'No decision and no setting is lost.'
    : `Lost with the present ledger: ${counts.join(', ')}.`;
}
