/** The command `load` against a real door. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { systemIds } from '../../shared/time/clock.ts';
import { FollowedTls } from '../../shared/service/tls/server-tls.ts';
import { createEngineDoor } from '../ingest/server.ts';
import { issueServer, makeAuthority } from '../pki/certificates.ts';
import { writePair } from '../pki/files.ts';
import { SetClock } from '../../test/support/cloud/clock.ts';
import { live } from '../../test/support/cloud/loads.ts';
import { AT, postgresKind } from '../../test/support/cloud/store.ts';
import { runCommandLine } from './command-line.ts';

const YEAR = { from: new Date(), days: 365 };
const TOKEN = 'test-token-of-at-least-32-characters';

test.each(['http', 'https'])(
  'over %s a file is sent byte by byte: a line of invalid UTF-8 is refused and not mended, the lines keep their numbers',
  async (scheme) => {
    const folder = mkdtempSync(join(tmpdir(), 'causeway-load-'));
    const { store } = await (await postgresKind()).open();
    const paths = { cert: join(folder, 'door.crt'), key: join(folder, 'door.key') };
    // The certificate need not name the address: the command compares it with its file.
    const pair = await issueServer(await makeAuthority('test CA', YEAR), ['door.example'], YEAR);
    writePair(paths, pair);
    const tls = scheme === 'http' ? null : new FollowedTls({ prefix: 'CAUSEWAY_ENGINE', ...paths });
    const door = createEngineDoor({ store, token: TOKEN, tls, clock: new SetClock(AT), ids: systemIds, log: false });
    try {
      await door.listen({ host: '127.0.0.1', port: 0 });
      const file = join(folder, 'loads.jsonl');
      const broken = Buffer.from(JSON.stringify(live({ key: 'b', summary: '?' })));
      broken[broken.indexOf('"?"') + 1] = 0xff;
      const good = (key: string): string => JSON.stringify(live({ key, route: 'a' }));
      writeFileSync(
        file,
        Buffer.concat([Buffer.from(`# 머리\n${good('a')}\r\n\n`), broken, Buffer.from(`\n${good('c')}`)]),
      );
      const printed: string[] = [];
      const env = {
        CAUSEWAY_ENGINE_TOKEN: TOKEN,
        ...(tls === null ? {} : { CAUSEWAY_ENGINE_CERT: paths.cert, CAUSEWAY_ENGINE_KEY: paths.key }),
        CAUSEWAY_ENGINE_LISTEN: `127.0.0.1:${(door.server.address() as AddressInfo).port}`,
      };
      const print = (line: string): number => printed.push(line);
      expect(await runCommandLine(['load', '--check', file], { env, print, printError: print })).toBe(1);
      expect(printed.splice(0).map((line) => line.split(/ {2,}/).slice(0, 2).join(' '))).toEqual([
        'line 2 PUBLISHED',
        expect.stringMatching(/^line 4 FAILED/),
        // Each line by itself: nothing of the lines before it was taken.
        'line 5 PUBLISHED',
        expect.stringMatching(/^Checked, nothing was taken: 2 published/),
      ]);
      const code = await runCommandLine(['load', file], { env, print, printError: print });
      expect([code, printed.map((line) => line.split(/ {2,}/).slice(0, 3).join(' '))]).toEqual([
        1,
        ['line 2 PUBLISHED res-a', expect.stringMatching(/^line 4 FAILED/), 'line 5 DRAFT res-c', expect.anything()],
      ]);
      expect(printed[1]).toContain('the line is not UTF-8');
      const { rows } = await sql<{ n: number }>`
      select count(*)::integer as n from explanation_result where summary like '%' || chr(65533) || '%'`.execute(
        store.db,
      );
      expect(rows).toEqual([{ n: 0 }]);
    } finally {
      await door.close();
      await store.close();
      rmSync(folder, { recursive: true });
    }
  },
);
