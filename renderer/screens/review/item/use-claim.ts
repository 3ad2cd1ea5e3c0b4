import { useEffect } from 'react';
import { useConsole } from '../../../api/console-context.tsx';
import { ClaimKeeper, DWELL_MS, CHECK_MS } from './claim-keeper.ts';

const SIGNS = ['keydown', 'pointerdown', 'wheel'] as const;

/** Claims an item while it is open here and the user is present. */
export function useClaim(id: string, isOpen: boolean): void {
  const { api } = useConsole();
  useEffect(() => {
    if (!isOpen) return;
    const keeper = new ClaimKeeper({ claim: () => api.claim(id), release: () => api.release(id) });
    const leave = (): void => keeper.leave();
    window.addEventListener('pagehide', leave);
    const sign = (event: Event): void => {
      if (event.isTrusted) keeper.sign();
    };
    for (const name of SIGNS) window.addEventListener(name, sign, { capture: true, passive: true });
    const dwell = setTimeout(() => keeper.begin(), DWELL_MS);
    const timer = setInterval(() => keeper.check(), CHECK_MS);
    return () => {
      clearTimeout(dwell);
      clearInterval(timer);
      window.removeEventListener('pagehide', leave);
      for (const name of SIGNS) window.removeEventListener(name, sign, { capture: true });
      keeper.end();
    };
  }, [api, id, isOpen]);
}
