/**
 * The bill of materials of a release (CycloneDX), as npm writes it from the lock file, without packages that only
 * builds and tests use: which packages are bundled depends on imports, which npm's `--omit dev` does not know.
 */
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import * as z from 'zod';
import { PRODUCT } from '../../../shared/service/release.ts';
import { PRODUCT_VERSION } from '../../../shared/wire/version.ts';
import { PackagingError, PROJECT } from './inputs.ts';

const BOTH = [
  ...['@fastify/cookie', '@fastify/static', '@fontsource-variable/noto-sans-kr'],
  ...['@lingui/core', '@lingui/message-utils', '@lingui/react', '@mantine/core', '@mantine/hooks'],
  ...[
    '@tanstack/react-query',
    '@tanstack/react-virtual',
    'd3-scale',
    'd3-shape',
    'diff',
    'fastify',
    'fflate',
    'hucre',
    'katex',
    'kysely',
  ],
  ...['otpauth', 'pino', 'prom-client', 'qr', 'react', 'react-dom', 'wouter', 'zod', '@zxcvbn-ts/language-common'],
];
/**
 * The packages that the code of each side's packages imports; npm knows what these stand on. A test holds the lists to
 * the imports.
 */
const IMPORTED = {
  tenant: [
    ...[...BOTH, 'better-sqlite3', 'electron-updater', 'entities', 'garu-ko', 'openid-client', 'parse5', 'undici'],
  ],
  cloud: [
    ...[...BOTH, '@aws-sdk/client-sfn', '@aws-sdk/client-sqs', '@electric-sql/pglite', '@peculiar/x509', 'pg'],
    'reflect-metadata',
    'unhomoglyph',
  ],
} as const;

/** The contents of a release: services of a side, and the desktop program. */
export type Held = keyof typeof IMPORTED | 'program';

/** Programs that are shipped whole, under the names used in vulnerability databases. */
const NODE = {
  name: `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`,
  cpe: 'nodejs:node.js',
};
const ELECTRON = { name: 'electron', cpe: 'electronjs:electron' };

const COMPONENT = z.looseObject({ 'bom-ref': z.string(), name: z.string(), version: z.string(), type: z.string() });
const BILL = z.looseObject({
  bomFormat: z.literal('CycloneDX'),
  metadata: z.looseObject({ component: COMPONENT }),
  components: z.array(COMPONENT),
  dependencies: z.array(z.object({ ref: z.string(), dependsOn: z.array(z.string()).default([]) })),
});
export type BillOfMaterials = z.infer<typeof BILL>;

/** @throws PackagingError */
export function billOfMaterials(held: readonly Held[]): BillOfMaterials {
  const all = npmBill();
  const whole = held.includes('program') ? [NODE, ELECTRON] : [NODE];
  const sides = held.map((one) => (one === 'program' ? 'tenant' : one));
  const referenceOf = (name: string): string => {
    const found = all.dependencies[0]?.dependsOn.find((ref) => ref.startsWith(`${name}@`));
    if (found === undefined) throw new PackagingError(`The lock file names no ${name}, which is shipped.`);
    return found;
  };
  const shipped = closure(
    sides.flatMap((side) => IMPORTED[side].map(referenceOf)),
    all.dependencies,
  );
  for (const { name } of whole) shipped.add(referenceOf(name));
  const own = { ...all.metadata.component, name: PRODUCT, type: 'application' };
  const components = all.components
    .filter((one) => shipped.has(one['bom-ref']))
    .map((one) => {
      const cpe = whole.find(({ name }) => name === one.name)?.cpe;
      return cpe === undefined ? one : { ...one, cpe: `cpe:2.3:a:${cpe}:${one.version}:*:*:*:*:*:*:*` };
    });
  const dependencies = all.dependencies
    .filter(({ ref }) => shipped.has(ref) || ref === own['bom-ref'])
    .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((one) => shipped.has(one)) }));
  return { ...all, metadata: { ...all.metadata, component: own }, components, dependencies };
}

/** Writes it into the folder of a release. @throws PackagingError */
export function writeBill(file: string, held: readonly Held[]): void {
  writeFileSync(file, `${JSON.stringify(billOfMaterials(held), null, 2)}\n`);
}

export const billName = (platform: string): string => `causeway-${PRODUCT_VERSION}-${platform}.cdx.json`;

function closure(roots: readonly string[], graph: BillOfMaterials['dependencies']): Set<string> {
  const next = new Map(graph.map(({ ref, dependsOn }) => [ref, dependsOn]));
  const seen = new Set(roots);
  for (const ref of seen) for (const one of next.get(ref) ?? []) seen.add(one);
  return seen;
}

function npmBill(): BillOfMaterials {
  const script = process.env['npm_execpath'];
  const isScript = script?.endsWith('npm-cli.js') === true;
  const [command, before] = isScript ? [process.execPath, [script]] : ['npm', []];
  const { status, stdout, stderr, error } = spawnSync(
    command,
    [...before, 'sbom', '--sbom-format', 'cyclonedx', '--sbom-type', 'application', '--package-lock-only'],
    { cwd: PROJECT, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024, shell: process.platform === 'win32' && !isScript },
  );
  if (status !== 0) throw new PackagingError(`npm sbom failed: ${error?.message ?? stderr.trim()}`);
  return BILL.parse(JSON.parse(stdout));
}
