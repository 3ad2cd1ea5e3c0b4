/** Whether somebody else has set an operator's password: then the operator sets another one before anything else. */
import type { Migration } from './migrate.ts';

export const ownPassword: Migration = {
  version: 10,
  name: 'own-password',
  statements: [`alter table operator_account add column temporary_password boolean not null default false`],
};
