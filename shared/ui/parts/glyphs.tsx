/** Small signs whose shape carries the meaning; the word beside them says it again. Drawn on a 12 by 12 grid. */
import type { ReactNode } from 'react';

const SHAPES = {
  /** A filled disc with a tick: decided in favour. */
  approved: (
    <>
      <circle cx="6" cy="6" r="5.5" fill="currentColor" />
      <path d="M3.4 6.2 5.2 8l3.4-3.8" fill="none" stroke="var(--cw-sign-inside)" strokeWidth="1.4" />
    </>
  ),
  /** A ring with a dot: passed by the rules alone. */
  automatic: (
    <>
      <circle cx="6" cy="6" r="4.8" fill="none" stroke="currentColor" strokeWidth="1.4" />
      <circle cx="6" cy="6" r="2.1" fill="currentColor" />
    </>
  ),
  /** A clock: waits for a person. */
  waiting: (
    <>
      <circle cx="6" cy="6" r="4.8" fill="none" stroke="currentColor" strokeWidth="1.4" />
      <path d="M6 3.2V6l2 1.4" fill="none" stroke="currentColor" strokeWidth="1.3" />
    </>
  ),
  /** A ring with a cross: refused. */
  refused: (
    <>
      <circle cx="6" cy="6" r="4.8" fill="none" stroke="currentColor" strokeWidth="1.4" />
      <path d="m4.2 4.2 3.6 3.6m0-3.6L4.2 7.8" stroke="currentColor" strokeWidth="1.3" />
    </>
  ),
  /** An octagon with a bar: blocked. */
  blocked: (
    <>
      <path d="M3.8.8h4.4l3 3v4.4l-3 3H3.8l-3-3V3.8z" fill="currentColor" />
      <path d="M3.2 6h5.6" stroke="var(--cw-sign-inside)" strokeWidth="1.6" />
    </>
  ),
  /** A filled square: stopped. */
  stopped: <rect x="1.5" y="1.5" width="9" height="9" fill="currentColor" />,
  /** An arrow back: withdrawn. */
  withdrawn: <path d="M5 2 1.8 5 5 8M2 5h5a3 2.6 0 0 1 0 5.2H4" fill="none" stroke="currentColor" strokeWidth="1.5" />,
  tick: <path d="m1.8 6.4 2.7 2.8 5.7-6.4" fill="none" stroke="currentColor" strokeWidth="1.7" />,
  cross: <path d="m2.4 2.4 7.2 7.2m0-7.2-7.2 7.2" fill="none" stroke="currentColor" strokeWidth="1.6" />,
  /** A triangle with a stroke: needs attention. */
  warning: (
    <>
      <path d="M6 .9 11.6 11H.4z" fill="none" stroke="currentColor" strokeWidth="1.3" strokeLinejoin="round" />
      <path d="M6 4.4v3.2M6 8.7v1.1" stroke="currentColor" strokeWidth="1.3" />
    </>
  ),
  /** A turning arrow: under way again. */
  retrying: <path d="M10.2 6A4.2 4.2 0 1 1 8.8 2.9M9 .6v2.6H6.4" fill="none" stroke="currentColor" strokeWidth="1.4" />,
  unknown: <circle cx="6" cy="6" r="4.8" fill="none" stroke="currentColor" strokeWidth="1.4" strokeDasharray="2 1.6" />,
  /** A ring that is half full: under way. */
  running: (
    <>
      <circle cx="6" cy="6" r="4.8" fill="none" stroke="currentColor" strokeWidth="1.4" />
      <path d="M6 2.6a3.4 3.4 0 0 1 0 6.8z" fill="currentColor" />
    </>
  ),
  /** An empty dashed square: planned, but missing. */
  gap: (
    <rect
      x="1.6"
      y="1.6"
      width="8.8"
      height="8.8"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.4"
      strokeDasharray="2.2 1.8"
    />
  ),
  pause: <path d="M3.6 1.8v8.4M8.4 1.8v8.4" stroke="currentColor" strokeWidth="2.2" />,
  resume: <path d="M3 1.6 10.4 6 3 10.4z" fill="currentColor" />,
  up: <path d="M6 2.2 10.8 10H1.2z" fill="currentColor" />,
  down: <path d="M6 9.8 1.2 2h9.6z" fill="currentColor" />,
  flat: <path d="M1.5 6h9" stroke="currentColor" strokeWidth="2" />,
  external: <path d="M5 2H2v8h8V7M7 1.5h3.5V5M10.2 1.8 5.6 6.4" fill="none" stroke="currentColor" strokeWidth="1.2" />,
  /** An eye: a person is looking. */
  eye: (
    <>
      <path d="M.8 6C3 2.4 9 2.4 11.2 6 9 9.6 3 9.6.8 6z" fill="none" stroke="currentColor" strokeWidth="1.2" />
      <circle cx="6" cy="6" r="1.7" fill="currentColor" />
    </>
  ),
  search: (
    <>
      <circle cx="5" cy="5" r="3.6" fill="none" stroke="currentColor" strokeWidth="1.4" />
      <path d="m7.7 7.7 3.3 3.3" stroke="currentColor" strokeWidth="1.5" />
    </>
  ),
  calendar: (
    <>
      <rect x="1.3" y="2.2" width="9.4" height="8.6" fill="none" stroke="currentColor" strokeWidth="1.2" />
      <path d="M1.3 5h9.4M3.8.8v2.4M8.2.8v2.4" stroke="currentColor" strokeWidth="1.2" />
    </>
  ),
  /** The screens, in a folded navigation. */
  tiles: (
    <path
      d="M1.5 1.5h3.7v3.7H1.5zM6.8 1.5h3.7v3.7H6.8zM1.5 6.8h3.7v3.7H1.5zM6.8 6.8h3.7v3.7H6.8z"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.2"
    />
  ),
  lines: <path d="M1.5 2.5h9M1.5 6h9M1.5 9.5h5.5" stroke="currentColor" strokeWidth="1.4" />,
  past: (
    <path
      d="M2 6a4.2 4.2 0 1 0 1.2-2.9M1.6 1.4v2.4H4M6 3.8V6l1.6 1"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.3"
    />
  ),
  folder: <path d="M1 2.5h3.6l1.2 1.4H11v6.1H1z" fill="none" stroke="currentColor" strokeWidth="1.3" />,
  checklist: (
    <path
      d="m1 2.7 1 1 1.7-2M1 8.2l1 1 1.7-2M5.6 3h5.4M5.6 8.5h5.4"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.3"
    />
  ),
  sample: (
    <path
      d="M1.3 1.3h9.4v9.4H1.3zM4 4h1.2M7 4h1.2M4 8h1.2M7 8h1.2"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.3"
    />
  ),
  bars: <path d="M2.2 10.5V6M6 10.5v-9M9.8 10.5V4" stroke="currentColor" strokeWidth="1.7" />,
  shield: (
    <path
      d="M6 .9 10.4 2.4v3.4c0 2.6-1.8 4.4-4.4 5.4-2.6-1-4.4-2.8-4.4-5.4V2.4z"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.3"
    />
  ),
  sliders: (
    <path
      d="M1 3.2h5.2M9 3.2h2M1 8.8h2M5.8 8.8H11M7.6 1.6v3.2M4.4 7.2v3.2"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.4"
    />
  ),
  chevron: <path d="m2.5 4.2 3.5 3.6 3.5-3.6" fill="none" stroke="currentColor" strokeWidth="1.4" />,
} as const satisfies Record<string, ReactNode>;

export type GlyphName = keyof typeof SHAPES;

/** Decoration beside a word: hidden from assistive technology. */
export function Glyph({ name, size = 12 }: { name: GlyphName; size?: number }): ReactNode {
  return (
    <svg width={size} height={size} viewBox="0 0 12 12" aria-hidden="true" focusable="false" data-glyph={name}>
      {SHAPES[name]}
    </svg>
  );
}
