/** A new ledger needs the number of its tenant. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { ServiceError } from '../../../shared/service/install/errors.ts';
import type { PartName } from './parts.ts';
import { settingsFile } from './places.ts';

/**
 * Requires the tenant of a new ledger before the first bundle can set it (D144). For an existing ledger the Intake and
 * the doctor report whether it is bound: root does not open files of the service's user.
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
