import { useEffect } from 'react';

/** Prints dark on white in either colour scheme. */
export function useLightPrint(): void {
  useEffect(() => {
    const page = document.documentElement;
    let onScreen: string | null = null;
    const begin = (): void => {
      onScreen = page.getAttribute(SCHEME);
      page.setAttribute(SCHEME, 'light');
    };
    const end = (): void => {
      if (onScreen !== null) page.setAttribute(SCHEME, onScreen);
      onScreen = null;
    };
    window.addEventListener('beforeprint', begin);
    window.addEventListener('afterprint', end);
    return () => {
      window.removeEventListener('beforeprint', begin);
      window.removeEventListener('afterprint', end);
    };
  }, []);
}

const SCHEME = 'data-mantine-color-scheme';
