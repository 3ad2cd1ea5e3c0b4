import type { ReactNode } from 'react';
import { useSharedText } from '../i18n/use-text.ts';
import { durationBetween, kstShort, kstText } from './format.ts';
import { useNow } from './use-now.ts';

/** An instant in Korean time with its zone, `2026-11-20 15:30 KST`; a dash where there is none. */
export function KstTime({
  at,
  precision = 'minute',
}: {
  at: string | null;
  precision?: 'minute' | 'second';
}): ReactNode {
  const text = useSharedText();
  const shown = at === null ? null : kstText(at, precision);
  if (at === null || shown === null) return <NoValue />;
  return <time dateTime={at}>{text('time.kst', { time: shown })}</time>;
}

/** An instant for a narrow column whose heading names the zone; its title holds the full time. */
export function KstShortTime({ at }: { at: string | null }): ReactNode {
  const text = useSharedText();
  const now = useNow();
  const shown = at === null ? null : kstShort(at, now);
  if (at === null || shown === null) return <NoValue />;
  return (
    <time dateTime={at} title={text('time.kst', { time: kstText(at, 'second') ?? at })}>
      {shown}
    </time>
  );
}

/** The date in Korea of an instant, for a column whose heading names the zone; its title holds the full time. */
export function KstDate({ at }: { at: string }): ReactNode {
  const text = useSharedText();
  const shown = kstText(at, 'second') ?? at;
  return (
    <time dateTime={at} title={text('time.kst', { time: shown })}>
      {shown.slice(0, 10)}
    </time>
  );
}

/** The time elapsed since an instant, in words. */
export function useAge(): (since: string) => string {
  const text = useSharedText();
  const now = useNow();
  return (since) => {
    const duration = durationBetween(new Date(since), now);
    const { unit, ...values } = duration;
    return text(`duration.${unit}`, values);
  };
}

/** A length of working time in words: hours are not summed to days, since a working day has not 24 of them. */
export function useLength(): (ms: number) => string {
  const text = useSharedText();
  return (ms) => {
    const minutes = Math.floor(ms / 60_000);
    if (minutes < 60) return text('duration.minutes', { minutes });
    return text('duration.hours', { hours: Math.floor(minutes / 60), minutes: minutes % 60 });
  };
}

/** A dash that screen readers announce in words. */
export function NoValue(): ReactNode {
  const text = useSharedText();
  return (
    <span role="img" aria-label={text('value.noneWord')}>
      {text('value.none')}
    </span>
  );
}
