/** The window's last position, and whether it can be used again. Pure. */
import * as z from 'zod/mini';

export interface Bounds {
  x: number;
  y: number;
  width: number;
  height: number;
}

export interface WindowState {
  bounds: Bounds;
  maximized: boolean;
}

export const SMALLEST = { width: 800, height: 560 } as const;
export const FIRST = { width: 1280, height: 860 } as const;

/** The part of the title bar that must be on a display for the user to grab, in pixels. */
const GRIP = { width: 120, height: 32 } as const;

const pixels = z.int().check(z.gte(-100_000), z.lte(100_000));
const SCHEMA = z.strictObject({
  bounds: z.strictObject({ x: pixels, y: pixels, width: pixels, height: pixels }),
  maximized: z.boolean(),
});

/** Reads the stored state; null for an invalid one or one of an older program. */
export function readWindowState(text: string): WindowState | null {
  try {
    const read = z.safeParse(SCHEMA, JSON.parse(text));
    return read.success ? read.data : null;
  } catch {
    return null;
  }
}

/**
 * The state to open with. Bounds whose title bar lies on no present display are discarded; a window larger than its
 * display is reduced to it.
 */
export function usableState(kept: WindowState | null, displays: readonly Bounds[]): WindowState | null {
  if (kept === null) return null;
  const { x, y, width, height } = kept.bounds;
  const display = displays.find((area) => {
    const across = Math.min(x + width, area.x + area.width) - Math.max(x, area.x);
    return across >= GRIP.width && y >= area.y && y + GRIP.height <= area.y + area.height;
  });
  if (display === undefined) return null;
  return {
    maximized: kept.maximized,
    bounds: {
      x,
      y,
      width: Math.max(SMALLEST.width, Math.min(width, display.width)),
      height: Math.max(SMALLEST.height, Math.min(height, display.height)),
    },
  };
}
