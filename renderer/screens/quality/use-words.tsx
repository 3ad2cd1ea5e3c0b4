import type { ReactNode } from 'react';
import { NoValue } from '../../../shared/ui/time/times.tsx';
import { useText } from '../../i18n/use-text.ts';
import { spanOf } from './span.ts';

/** A duration in words. */
export function useSpanText(): (ms: number) => string {
  const text = useText();
  return (ms) => {
    const span = spanOf(ms);
    switch (span.unit) {
      case 'seconds':
        return text('span.seconds', { seconds: span.seconds });
      case 'minutes':
        return text('span.minutes', { minutes: span.minutes, seconds: span.seconds });
      case 'hours':
        return text('duration.hours', { hours: span.hours, minutes: span.minutes });
      case 'days':
        return text('duration.days', { days: span.days, hours: span.hours });
    }
  };
}

/** A measured time; a dash without one. */
export function SpanValue({ ms }: { ms: number | null }): ReactNode {
  const say = useSpanText();
  return ms === null ? <NoValue /> : say(ms);
}

/** A share in percent; a dash without a base. */
export function Rate({ n, of }: { n: number; of: number }): ReactNode {
  return of === 0 ? <NoValue /> : `${((n / of) * 100).toFixed(1)}%`;
}

/** A count and its base, for a narrow column. */
export function Ratio({ n, of }: { n: number; of: number }): ReactNode {
  const text = useText();
  return of === 0 ? <NoValue /> : text('quality.rate', { n, of });
}
