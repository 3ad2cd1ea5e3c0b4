/** How many days the delivery records of every tenant are kept (D172); null: without an end. */
import type { Migration } from './migrate.ts';

export const retentionDefault: Migration = {
  version: 17,
  name: 'retention-default',
  // The program before it ignores the table and removes nothing by itself.
  oldestProgram: 16,
  statements: [
    `create table retention_default (
       only_row boolean primary key default true check (only_row),
       days integer check (days between 30 and 36500)
     )`,
    `insert into retention_default (days) values (null)`,
  ],
};
