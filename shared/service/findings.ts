/** What the doctors of both sides have in common: their findings, a table of checks that is run, and the printing. */
import { ConfigurationError } from './variables.ts';

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

/** A row of a doctor's table: it looks at one subject under the settings. */
export type Check<Settings> = (
  settings: Settings,
) => Finding | readonly Finding[] | Promise<Finding | readonly Finding[]>;

/** The row for settings that could be read. */
export const validSettings = (): Finding => ok('settings', 'every variable is valid');

/**
 * Runs the rows of a doctor's table, one after another.
 *
 * @param todo the remedy for settings that are refused: each sentence of the refusal is a finding then, and no row runs
 */
export async function examine<Settings>(
  read: () => Settings,
  todo: string,
  table: readonly Check<Settings>[],
): Promise<Finding[]> {
  let settings: Settings;
  try {
    settings = read();
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    return refused(error, todo);
  }
  const findings: Finding[] = [];
  for (const check of table) findings.push(...[await check(settings)].flat());
  return findings;
}

/** The sentences of a refusal. */
export const refused = ({ message }: Error, todo: string): Finding[] =>
  message.split('\n').map((sentence) => wrong('settings', sentence, todo));

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
