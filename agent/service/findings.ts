/** What the doctor finds: each with what to do, in words of the person who has to do it. */
export interface Finding {
  /** What was looked at. */
  about: string;
  /** LOOK: it works, and will not for ever. SKIPPED: it could not be looked at. */
  verdict: 'OK' | 'LOOK' | 'WRONG' | 'SKIPPED';
  said: string;
  /** What to do; for LOOK and WRONG. */
  todo?: string;
}

export const ok = (about: string, said: string): Finding => ({ about, verdict: 'OK', said });
export const skipped = (about: string, said: string): Finding => ({ about, verdict: 'SKIPPED', said });
export const look = (about: string, said: string, todo: string): Finding => ({ about, verdict: 'LOOK', said, todo });
export const wrong = (about: string, said: string, todo: string): Finding => ({ about, verdict: 'WRONG', said, todo });

const SIGNS: Readonly<Record<Finding['verdict'], string>> = {
  OK: 'ok     ',
  LOOK: 'LOOK   ',
  WRONG: 'WRONG  ',
  SKIPPED: '-      ',
};

export function linesOf({ about, verdict, said, todo }: Finding): string[] {
  return [`${SIGNS[verdict]}${about}: ${said}`, ...(todo === undefined ? [] : [`         do: ${todo}`])];
}
