/** The operator console's accounts, for the administrator of the vendor's host. */
import { randomBytes } from 'node:crypto';
import { parseArgs } from 'node:util';
import { helpText, readVariables } from '../../shared/service/variables.ts';
import { systemClock } from '../../shared/time/clock.ts';
import { DISPLAY_NAME_LIMIT } from '../../shared/wire/operator/operator.ts';
import { STORE_VARIABLES } from '../config/config.ts';
import {
  createOperator,
  listOperators,
  setOperatorActive,
  setOperatorPassword,
  setSecondFactor,
} from '../accounts/accounts.ts';
import { commandActor, recordActivity } from '../accounts/activity-log.ts';
import { enrolmentUri, newSecret } from '../../shared/service/accounts/second-factor.ts';
import { holdsUnread } from '../../shared/wire/characters.ts';
import { isBlank } from '../../shared/wire/invisible.ts';
import type { Db, Store } from '../store/open.ts';
import { prepareStore } from '../store/migrations/prepare.ts';
import type { ActivityType } from '../store/schema.ts';
import { UsageError, type Command } from './command.ts';

const about = [
  "Adds and lists the operator console's accounts, sets their passwords and keeps them out.",
  '',
  '  add         a new account; its password is made up and printed once',
  '  password    a new password for an account, printed once; every session of the account ends',
  '              Either password is replaced by its owner at the first login, before anything else.',
  '  second-factor, no-second-factor',
  '              from now on a login asks for a code of an authenticator app, whose key is printed once; or for',
  '              none. Either way every session of the account ends',
  '  deactivate  the account cannot log in any more, and its sessions end',
  '  activate    it can again',
  '  list        all accounts with their last login',
  '',
  '  --name NAME            the name to log in with: letters, digits, dots, dashes, underscores and @',
  '  --display-name NAME    add: the name that the console shows (default: the name to log in with)',
].join('\n');

const ACTIONS = ['add', 'password', 'second-factor', 'no-second-factor', 'deactivate', 'activate', 'list'] as const;
type Action = (typeof ACTIONS)[number];

export const operator: Command = {
  usage: [
    'causeway-cloud operator add --name NAME [--display-name NAME]',
    'causeway-cloud operator password|second-factor|no-second-factor|deactivate|activate --name NAME',
    'causeway-cloud operator list',
  ],
  about: "Adds and lists the operator console's accounts, sets their passwords and keeps them out.",
  help: () => helpText(operator.usage.join('\n       '), about, STORE_VARIABLES),
  run: async ({ args, env, print }) => {
    const { action, name, displayName } = readAction(args);
    const store = await prepareStore(readVariables(STORE_VARIABLES, env), systemClock);
    try {
      if (action === 'list') print(JSON.stringify({ operators: await listOperators(store.db) }, null, 2));
      else print(JSON.stringify(await change(store, action, name, displayName), null, 2));
    } finally {
      await store.close();
    }
    return 0;
  },
};

/** @throws UsageError */
function readAction(args: string[]): { action: Action; name: string; displayName: string } {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { name: { type: 'string' }, 'display-name': { type: 'string' } },
  });
  const action = ACTIONS.find((known) => known === positionals[0]);
  if (positionals.length !== 1 || action === undefined)
    throw new UsageError(`operator takes one of ${ACTIONS.join(', ')}.`);
  if (values['display-name'] !== undefined && action !== 'add')
    throw new UsageError(`operator ${action} takes no --display-name.`);
  const name = values.name ?? '';
  if (action === 'list') {
    if (values.name !== undefined) throw new UsageError('operator list takes no --name.');
  } else if (!/^[\p{L}\p{N}._@-]{1,200}$/u.test(name))
    throw new UsageError(
      `operator ${action} needs --name NAME: letters, digits, dots, dashes, underscores and @, 200 at most.`,
    );
  const displayName = (values['display-name'] ?? name).normalize('NFC').trim();
  if (displayName.length > DISPLAY_NAME_LIMIT || holdsUnread(displayName) || (action === 'add' && isBlank(displayName)))
    throw new UsageError(`--display-name must be a visible name of ${DISPLAY_NAME_LIMIT} characters at most.`);
  return { action, name, displayName };
}

/** @throws UsageError */
async function change(
  store: Store,
  action: Exclude<Action, 'list'>,
  username: string,
  displayName: string,
): Promise<Record<string, unknown>> {
  const at = systemClock.now();
  const record = (trx: Db, type: ActivityType): Promise<void> =>
    recordActivity(trx, { at, actor: commandActor(), type, targetType: 'OPERATOR', targetId: username });
  const password = randomBytes(15).toString('base64url');
  return store.transaction(async (trx) => {
    switch (action) {
      case 'add':
        if (!(await createOperator(trx, { username, displayName, password, temporaryPassword: true }, at)))
          throw new UsageError(`There is an account ${username} already: "operator password" gives it a new password.`);
        await record(trx, 'OPERATOR_ADDED');
        return { username, displayName, password };
      case 'password':
        if (!(await setOperatorPassword(trx, username, password))) throw unknown(username);
        await record(trx, 'OPERATOR_PASSWORD_SET');
        return { username, password };
      case 'second-factor': {
        const secret = newSecret();
        if (!(await setSecondFactor(trx, username, secret))) throw unknown(username);
        await record(trx, 'OPERATOR_SECOND_FACTOR_SET');
        return { username, secret, uri: enrolmentUri(secret, username) };
      }
      case 'no-second-factor':
        if (!(await setSecondFactor(trx, username, null))) throw unknown(username);
        await record(trx, 'OPERATOR_SECOND_FACTOR_REMOVED');
        return { username, secondFactor: false };
      case 'deactivate':
      case 'activate': {
        const active = action === 'activate';
        if (!(await setOperatorActive(trx, username, active))) throw unknown(username);
        await record(trx, active ? 'OPERATOR_ACTIVATED' : 'OPERATOR_DEACTIVATED');
        return { username, active };
      }
    }
  });
}

const unknown = (username: string): UsageError =>
  new UsageError(`There is no account ${username}: see "operator list".`);
