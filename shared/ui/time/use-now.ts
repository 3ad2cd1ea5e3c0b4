import { createContext, useContext, useEffect, useState } from 'react';
import { systemClock, type Clock } from '../../time/clock.ts';

export const ClockContext = createContext<Clock>(systemClock);

/** Now, refreshed every `everyMs`, so that ages and waiting times keep counting. */
export function useNow(everyMs = 30_000): Date {
  const clock = useContext(ClockContext);
  const [now, setNow] = useState(() => clock.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(clock.now()), everyMs);
    return () => clearInterval(timer);
  }, [clock, everyMs]);
  return now;
}
