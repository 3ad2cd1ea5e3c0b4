/** The newest release that this machine has seen, on disk: a feed that returns to an older one is refused. */
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import * as z from 'zod/mini';
import type { SeenRelease } from '../../../shared/service/release.ts';

const SCHEMA = z.strictObject({
  version: z.string().check(z.regex(/^\d{1,5}\.\d{1,5}\.\d{1,5}$/)),
  issuedAt: z.iso.datetime(),
  key: z.string(),
}) satisfies z.ZodMiniType<SeenRelease>;

/** Null without a valid file: the installed version is still a lower bound. */
export function readSeen(file: string): SeenRelease | null {
  try {
    const read = z.safeParse(SCHEMA, JSON.parse(readFileSync(file, 'utf8')));
    return read.success ? read.data : null;
  } catch {
    return null;
  }
}

/** @throws when it cannot be written; then the earlier one is still there */
export function keepSeen(file: string, seen: SeenRelease): void {
  writeFileSync(`${file}.new`, `${JSON.stringify(seen)}\n`, { mode: 0o600 });
  renameSync(`${file}.new`, file);
}
