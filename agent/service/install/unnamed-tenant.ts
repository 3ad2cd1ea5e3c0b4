/** A new ledger needs the number of its tenant. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { ServiceError } from '../../../shared/service/install/errors.ts';
import type { PartName } from './parts.ts';
import { settingsFile } from './places.ts';

/**
 * Whose a new ledger will be is said before the first bundle could say it (D144). Where there is a ledger, the Intake and
 * the doctor tell whether it is bound: root does not open what the service's user owns.
 *
 * @throws ServiceError
 */
export function refuseUnnamedTenant(
  part: PartName,
  values: Readonly<Record<string, string>>,
  root: string,
  settings = settingsFile(part),
): void {
  const ledger = values['CAUSEWAY_LEDGER'] ?? '';
  if (part !== 'intake' || (values['CAUSEWAY_INTAKE_TENANT'] ?? '') !== '') return;
  if (ledger !== '' && existsSync(path.join(root, ledger))) return;
  throw new ServiceError(
    `Nothing says yet whose ledger this will be: set CAUSEWAY_INTAKE_TENANT in ${settings} to the number that the vendor names by telephone.`,
  );
}
