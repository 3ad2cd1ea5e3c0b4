/** A duration in its two largest units: seconds matter for a reviewer's work, not for waiting. */
export type Span =
  | { unit: 'seconds'; seconds: number }
  | { unit: 'minutes'; minutes: number; seconds: number }
  | { unit: 'hours'; hours: number; minutes: number }
  | { unit: 'days'; days: number; hours: number };

export function spanOf(ms: number): Span {
  const seconds = Math.round(ms / 1_000);
  if (seconds < 60) return { unit: 'seconds', seconds };
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return { unit: 'minutes', minutes, seconds: seconds % 60 };
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return { unit: 'hours', hours, minutes: minutes % 60 };
  return { unit: 'days', days: Math.floor(hours / 24), hours: hours % 24 };
}
