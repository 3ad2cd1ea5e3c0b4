import { useEffect, useEffectEvent } from 'react';

/**
 * Writes a day that the server chose into the address, so that the link shows the same day tomorrow. @param chosen
 * undefined without one
 */
export function useAbsoluteDay(chosen: string | undefined, write: (day: string) => void): void {
  const put = useEffectEvent(write);
  useEffect(() => {
    if (chosen !== undefined) put(chosen);
  }, [chosen]);
}
