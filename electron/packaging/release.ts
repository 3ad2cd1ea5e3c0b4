/** `npm run release`: the vendor's release key, and the renewal of releases. */
import { parseArgs } from 'node:util';
import { createPublicKey } from 'node:crypto';
import { join } from 'node:path';
import { releaseKeyId } from '../../shared/service/release.ts';
import { systemClock } from '../../shared/time/clock.ts';
import { KEY_FILE, makeReleaseKey, PUBLIC_FILE, releaseSigning } from './release/release-key.ts';
import { RELEASE_DAYS, releasePlatform, requireSigning, signBuilt } from './release/release-build.ts';
import { renewRelease } from './release/sign-release.ts';

const HELP = `Usage: npm run release -- key FOLDER | sign FOLDER | renew FOLDER [--platform NAME]

  key FOLDER     makes ${KEY_FILE} and ${PUBLIC_FILE} in a folder outside of the repository
  sign FOLDER    signs what "package --sign-later" has built, and prints where it lies then
  renew FOLDER   gives the metadata of a release ${RELEASE_DAYS} more days, once its files are still what was signed

Variables:
  CAUSEWAY_RELEASE_KEY         the file of the release key, which signs; its public half is pinned by the build
  CAUSEWAY_RELEASE_PASSPHRASE  the passphrase of that file; with "key": locks the new one
  CAUSEWAY_RELEASE_NEXT_KEY    the public file of the next key, pinned beside the current one
  CAUSEWAY_RELEASE_CHANNEL     the channel, stable unless set
`;

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { help: { type: 'boolean' }, platform: { type: 'string', default: releasePlatform } },
  });
  const say = (line: string): void => void process.stdout.write(`${line}\n`);
  const [command, folder] = positionals;
  if (values.help === true || positionals.length !== 2 || folder === undefined) {
    process.stdout.write(HELP);
    return values.help === true ? 0 : 2;
  }
  switch (command) {
    case 'key': {
      const pem = makeReleaseKey(folder, process.env['CAUSEWAY_RELEASE_PASSPHRASE']);
      say(
        `Release key ${releaseKeyId(createPublicKey(pem))}: ${join(folder, KEY_FILE)}, to be kept secret and copied to a safe.`,
      );
      say(`Its public half, for the tenants: ${join(folder, PUBLIC_FILE)}`);
      return 0;
    }
    case 'sign': {
      const signing = requireSigning(releaseSigning(process.env), false);
      if (signing === null) return 1;
      say(await signBuilt(folder, signing, systemClock.now()));
      return 0;
    }
    case 'renew': {
      const signing = requireSigning(releaseSigning(process.env), false);
      if (signing === null) return 1;
      const { key, pinned } = signing;
      const terms = { channel: pinned.channel, platform: values.platform, now: systemClock.now(), days: RELEASE_DAYS };
      const { version, expiresAt } = await renewRelease(folder, key, terms);
      say(`Release ${version} is good until ${expiresAt}.`);
      return 0;
    }
    default:
      process.stdout.write(HELP);
      return 2;
  }
}

main().then(
  (code) => (process.exitCode = code),
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = error instanceof TypeError ? 2 : 1;
  },
);
