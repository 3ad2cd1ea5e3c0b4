/** What a doctor says of the files that hold secrets (D158). */
import { statSync } from 'node:fs';
import { warn, type Finding } from './findings.ts';
import { secretFiles, type Variables } from './variables.ts';

/** A warning only: an orchestrator hands secrets to a container of one user, and readable for everybody. */
export function checkSecretFiles(variables: Variables, env: Record<string, string | undefined>): Finding[] {
  if (process.platform === 'win32') return [];
  return secretFiles(variables, env).flatMap(([name, file]) => {
    const mode = statSync(file).mode & 0o777;
    const said = `others may read or write it (mode ${mode.toString(8)})`;
    return (mode & 0o077) === 0 ? [] : [warn(`${name} (${file})`, said, `chmod 600 ${file}`)];
  });
}
