/** The manifest of the packed resources, from inside the program's own archive. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { app } from 'electron';
import * as z from 'zod/mini';
import type { ResourceManifest } from './resources.ts';

const MANIFEST = z.record(z.string(), z.string().check(z.regex(/^[\da-f]{64}$/)));

/** @throws when the archive has no valid manifest: then it is not the packed one */
export function packedManifest(): ResourceManifest {
  const value: unknown = JSON.parse(readFileSync(join(app.getAppPath(), 'resources.json'), 'utf8'));
  return z.parse(MANIFEST, value);
}
