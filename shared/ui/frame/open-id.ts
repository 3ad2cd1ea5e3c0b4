import { useLocation } from 'wouter';

/**
 * The id of what is open of a screen, `/screen/id`; null for nothing. Read from the address itself: the router
 * hands on paths that are half decoded, and an id may hold a slash or a percent sign.
 */
export function useOpenId(): string | null {
  // Draws again when the address changes.
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
