/** A finding of a doctor, of either side, with a remedy in the words of the person who applies it. */
export interface Finding {
  /** The subject. */
  about: string;
  /** WARN: it works now, but needs attention. SKIPPED: it could not be checked. */
  verdict: 'OK' | 'WARN' | 'WRONG' | 'SKIPPED';
  said: string;
  /** The remedy; for WARN and WRONG. */
  todo?: string;
}

export const ok = (about: string, said: string): Finding => ({ about, verdict: 'OK', said });
export const skipped = (about: string, said: string): Finding => ({ about, verdict: 'SKIPPED', said });
export const warn = (about: string, said: string, todo: string): Finding => ({ about, verdict: 'WARN', said, todo });
export const wrong = (about: string, said: string, todo: string): Finding => ({ about, verdict: 'WRONG', said, todo });

const SIGNS: Readonly<Record<Finding['verdict'], string>> = {
  OK: 'ok     ',
  WARN: 'WARN   ',
  WRONG: 'WRONG  ',
  SKIPPED: '-      ',
};

function linesOf({ about, verdict, said, todo }: Finding): string[] {
  return [
    `${SIGNS[verdict]}${about}: ${said.replaceAll(/\n\s*/g, ' ')}`,
    ...(todo === undefined ? [] : [`         do: ${todo}`]),
  ];
}

/** The summary line over all findings. */
function sumOf(findings: readonly Finding[]): string {
  const count = (verdict: Finding['verdict']): number => findings.filter((one) => one.verdict === verdict).length;
  const [wrongs, warnings] = [count('WRONG'), count('WARN')];
  if (wrongs > 0) return `${wrongs} wrong, ${warnings} to look after.`;
  return warnings > 0 ? `Nothing is wrong; ${warnings} to look after.` : 'Nothing is wrong.';
}

/** Prints all findings. @returns the exit code: 1 when any finding is WRONG */
export function report(findings: readonly Finding[], print: (line: string) => void): 0 | 1 {
  for (const finding of findings) for (const line of linesOf(finding)) print(line);
  print(sumOf(findings));
  return findings.some(({ verdict }) => verdict === 'WRONG') ? 1 : 0;
}
