/** The key that signs bundles (D32), and its rotation while pulls continue. */
import { createPublicKey } from 'node:crypto';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { helpText, readVariables } from '../../shared/service/variables.ts';
import { systemClock } from '../../shared/time/clock.ts';
import { signingLock, SIGNING_VARIABLES } from '../config/config.ts';
import { pkiFolder, pkiPaths } from '../pki/files.ts';
import { keyIdOf, makeSigningPair, writeSigningPair } from '../pki/signing-key.ts';
import {
  prepareNext,
  retirePrevious,
  SuccessionError,
  switchToNext,
  trusted,
  type Succession,
} from '../pki/key-rotation.ts';
import { recordCommand } from '../accounts/activity-log.ts';
import { prepareStore } from '../store/migrations/prepare.ts';
import type { ActivityType } from '../store/schema.ts';
import { UsageError, type Command } from './command.ts';

const about = [
  'Makes the Ed25519 key that signs bundles, and lets another take over. A tenant that verifies holds both public',
  'keys in between, so no pull fails.',
  '',
  '  make     the first one, where init has made none: signing.key for CAUSEWAY_SYNC_SIGNING_KEY, signing.pub for',
  '           CAUSEWAY_INTAKE_VERIFY_KEY',
  '  next     makes the next one and adds it to signing.pub. Then hand signing.pub to every tenant that verifies',
  '  switch   the next one signs from now on; a running cloud takes it by itself',
  '  retire   takes the earlier one out of signing.pub. Then hand signing.pub out again',
  '',
  '  --out DIR   where the keys are (default $CAUSEWAY_HOME/cloud/pki)',
].join('\n');

const STEPS = ['make', 'next', 'switch', 'retire'] as const;

export const signingKey: Command = {
  usage: ['causeway-cloud signing-key make|next|switch|retire [--out DIR]'],
  about: 'Makes the key that signs bundles, and lets another take over without a pull that fails.',
  help: () => helpText(signingKey.usage.join('\n'), about, SIGNING_VARIABLES),
  run: async ({ args, env, print }) => {
    const { values, positionals } = parseArgs({ args, allowPositionals: true, options: { out: { type: 'string' } } });
    const step = STEPS.find((known) => known === positionals[0]);
    if (positionals.length !== 1 || step === undefined)
      throw new UsageError(`signing-key takes one of ${STEPS.join(', ')}.`);
    const config = readVariables(SIGNING_VARIABLES, env);
    const paths = pkiPaths(resolve(values.out ?? pkiFolder(config.CAUSEWAY_HOME)));
    const { passphrase } = signingLock(config);
    const succession: Succession = { what: 'signing key', present: paths.signing, next: paths.nextSigning };
    const store = await prepareStore(config, systemClock);
    try {
      const earlier = existsSync(paths.signing.public) ? trusted(succession) : [];
      await store.transaction(async (trx) => {
        await take(step, succession, passphrase);
        const { type, pem } = activityOf(step, earlier, trusted(succession));
        const about = { targetType: 'SIGNING_KEY', targetId: keyIdOf(createPublicKey(pem)) };
        await recordCommand(trx, type, about, systemClock.now());
      });
    } finally {
      await store.close();
    }
    const keys = trusted(succession);
    const ids = keys.map((pem) => keyIdOf(createPublicKey(pem)));
    print(JSON.stringify({ step, ...paths.signing, trusted: keys.length, ids }, null, 2));
    return 0;
  },
};

async function take(step: (typeof STEPS)[number], succession: Succession, passphrase: string | null): Promise<void> {
  switch (step) {
    case 'make': {
      const { key, public: verification } = succession.present;
      const there = [key, verification].find((file) => existsSync(file));
      if (there !== undefined)
        throw new SuccessionError(`There is a signing key already (${there}): "next" makes another.`);
      return writeSigningPair(succession.present, makeSigningPair(passphrase));
    }
    case 'next':
      return await prepareNext(succession, () => Promise.resolve(makeSigningPair(passphrase)));
    case 'switch':
      return switchToNext(succession);
    case 'retire':
      return retirePrevious(succession);
  }
}

/** The key that a step concerns: the one that was made or added, is in use now, or was removed. */
function activityOf(
  step: (typeof STEPS)[number],
  earlier: readonly string[],
  [inUse = '', next = '']: readonly string[],
): { type: ActivityType; pem: string } {
  switch (step) {
    case 'make':
      return { type: 'SIGNING_KEY_MADE', pem: inUse };
    case 'next':
      return { type: 'SIGNING_KEY_PREPARED', pem: next };
    case 'switch':
      return { type: 'SIGNING_KEY_SWITCHED', pem: inUse };
    case 'retire':
      return { type: 'SIGNING_KEY_RETIRED', pem: earlier[1] ?? '' };
  }
}
