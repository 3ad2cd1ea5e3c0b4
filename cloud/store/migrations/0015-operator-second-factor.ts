import type { Migration } from './migrate.ts';

/** The secret of an operator's authenticator app, and the step of the last code that was taken (D145). */
export const operatorSecondFactor: Migration = {
  version: 15,
  name: 'operator-second-factor',
  statements: [
    `alter table operator_account
       add column second_factor text,
       add column second_factor_step bigint not null default 0`,
  ],
};
