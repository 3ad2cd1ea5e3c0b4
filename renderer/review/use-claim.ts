import { useEffect } from 'react';
import { useConsole } from '../api/console-context.tsx';

/** A claim runs out after ten minutes; it is renewed before, but only while somebody is there. */
const RENEW_MS = 3 * 60_000;
const SIGNS = ['keydown', 'pointerdown', 'wheel'] as const;

/**
 * Says to the others that this item is looked at while it is open here (document 1 review queue, D17). It
 * hinders nobody, so a claim that could not be made is no error. Renewing goes by signs of a person: a
 * console that is left alone must neither hold the item nor keep its session alive.
 */
export function useClaim(id: string, isOpen: boolean): void {
  const { api } = useConsole();
  useEffect(() => {
    if (!isOpen) return;
    let wasThere = false;
    const note = (event: Event): void => {
      if (event.isTrusted) wasThere = true;
    };
    const claim = (): void => {
      wasThere = false;
      api.claim(id).catch(() => undefined);
    };
    claim();
    for (const sign of SIGNS) window.addEventListener(sign, note, { capture: true, passive: true });
    const timer = setInterval(() => {
      if (wasThere) claim();
    }, RENEW_MS);
    return () => {
      clearInterval(timer);
      for (const sign of SIGNS) window.removeEventListener(sign, note, { capture: true });
      api.release(id).catch(() => undefined);
    };
  }, [api, id, isOpen]);
}
