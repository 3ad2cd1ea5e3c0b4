import { useLocation } from 'wouter';

/**
 * The id of the open item of a screen, `/screen/id`; null for none. Read from the address itself: the router passes on
 * half-decoded paths, and an id may hold a slash or a percent sign.
 */
export function useOpenId(): string | null {
  // Renders again when the address changes.
  useLocation();
  return openIdOf(window.location.pathname);
}

export function openIdOf(path: string): string | null {
  const part = path.split('/')[2] ?? '';
  if (part === '') return null;
  try {
    return decodeURIComponent(part);
  } catch {
    return null;
  }
}
