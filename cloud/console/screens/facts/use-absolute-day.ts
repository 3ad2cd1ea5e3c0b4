import { useEffect, useEffectEvent } from 'react';

/**
 * A day that the server chose is written into the address: what is shown there is shown again tomorrow.
 * @param chosen undefined while there is none
 */
export function useAbsoluteDay(chosen: string | undefined, write: (day: string) => void): void {
  const put = useEffectEvent(write);
  useEffect(() => {
    if (chosen !== undefined) put(chosen);
  }, [chosen]);
}
