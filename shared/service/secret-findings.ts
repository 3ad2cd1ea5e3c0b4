/** What a doctor says of the files that hold secrets (D158). */
import { statSync } from 'node:fs';
import { warn, type Finding } from './findings.ts';
import { secretFiles, type Variables } from './variables.ts';

/** A warning only: an orchestrator hands secrets to a container of one user, and readable for everybody. */
export const checkSecretFiles = (variables: Variables, env: Record<string, string | undefined>): Finding[] =>
  secretFiles(variables, env).flatMap(([name, file]) => checkPrivacy(name, file, warn));

/** A finding where others than its owner may read or write a file; none on Windows. */
export function checkPrivacy(variable: string, file: string, judge: typeof warn): Finding[] {
  const mode = statSync(file).mode & 0o777;
  if (process.platform === 'win32' || (mode & 0o077) === 0) return [];
  return [
    judge(`${variable} (${file})`, `others may read or write it (mode ${mode.toString(8)})`, `chmod 600 ${file}`),
  ];
}
