/** The bill of materials against the shipped code: each package that the tenant's packages import. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { billOfMaterials, type BillOfMaterials } from '../../../electron/packaging/build/bill-of-materials.ts';
import { noticesOf } from '../../../electron/packaging/build/notices.ts';
import { importsOf } from '../../checks/imports.ts';
import { codeFiles, isTestCode } from '../../checks/sources.ts';
import { PROJECT } from '../../support/process.ts';

/** In the tenant's packages, and in the cloud's. */
const SHIPPED = ['agent/', 'shared/', 'renderer/', 'electron/main/', 'electron/preload/', 'electron/console-api/'];
const SHIPPED_BY_VENDOR = ['cloud/', 'shared/'];
/** Parts of the program that it does not import. */
const WHOLE = ['electron', `node-${process.platform}-${process.arch}`];

let bill: BillOfMaterials;
beforeAll(() => {
  bill = billOfMaterials(['program']);
});

/** The packages that shipped code really loads. */
function imported(shipped = SHIPPED): Set<string> {
  const names = codeFiles(PROJECT)
    .filter((file) => shipped.some((place) => file.startsWith(place)) && !isTestCode(file))
    .filter((file) => !file.endsWith('.config.ts'))
    .flatMap((file) => importsOf(file, readFileSync(path.join(PROJECT, file), 'utf8')))
    .filter(({ typeOnly, specifier }) => !typeOnly && specifier !== null)
    .map(({ specifier }) => specifier ?? '')
    .filter((specifier) => !/^(?:\.|node:|virtual:)/.test(specifier))
    .map((specifier) =>
      specifier
        .split('/')
        .slice(0, specifier.startsWith('@') ? 2 : 1)
        .join('/'),
    );
  return new Set(names);
}

const namesIn = ({ components }: BillOfMaterials): string[] => components.map(({ name }) => name);

test('each package that shipped code imports is in it, with Electron and Node', () => {
  const names = namesIn(bill);
  expect(names).toEqual(expect.arrayContaining([...imported(), ...WHOLE]));
});

test('it lists no package that no shipped code depends on', () => {
  const top = bill.components.filter(
    ({ 'bom-ref': ref }) =>
      !bill.dependencies.some((one) => one.dependsOn.includes(ref) && one.ref !== bill.metadata.component['bom-ref']),
  );
  const known = new Set([...imported(), ...WHOLE]);
  expect(top.map(({ name }) => name).filter((name) => !known.has(name))).toEqual([]);
  for (const tool of ['vitest', 'electron-builder', 'typescript', '@aws-sdk/client-sqs', 'playwright'])
    expect(namesIn(bill)).not.toContain(tool);
});

test('that of the cloud names each package that the cloud imports, and nothing of the tenant', () => {
  const names = namesIn(billOfMaterials(['cloud']));
  expect(names).toEqual(expect.arrayContaining([...imported(SHIPPED_BY_VENDOR), WHOLE[1]]));
  for (const other of ['better-sqlite3', 'electron', 'vitest', 'electron-updater', 'openid-client'])
    expect(names).not.toContain(other);
});

test('it is of the product, and names Electron and Node as weaknesses are published', () => {
  expect(bill).toMatchObject({
    bomFormat: 'CycloneDX',
    metadata: { component: { name: 'causeway', type: 'application' } },
  });
  const cpes = bill.components.flatMap(({ cpe }) => (typeof cpe === 'string' ? [cpe] : []));
  expect(cpes).toEqual([
    expect.stringMatching(/^cpe:2\.3:a:electronjs:electron:\d+\.\d+\.\d+:/),
    expect.stringMatching(/^cpe:2\.3:a:nodejs:node\.js:24\.\d+\.\d+:/),
  ]);
});

test('a release without the program holds no Electron', () => {
  expect(namesIn(billOfMaterials(['tenant']))).not.toContain('electron');
});

test('each package in it has its licence text in the notices, and one without a text is named', () => {
  const notices = noticesOf(bill.components, PROJECT);
  for (const { name, version } of bill.components) expect(notices).toContain(`\n${name} ${version}\n`);
  expect(notices).toContain('Copyright (c) Meta Platforms');
  const folder = mkdtempSync(path.join(tmpdir(), 'causeway-notices-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  mkdirSync(path.join(folder, 'node_modules/silent'), { recursive: true });
  const packages = { 'node_modules/silent': { version: '1.0.0' } };
  writeFileSync(path.join(folder, 'package-lock.json'), JSON.stringify({ packages }));
  expect(() => noticesOf([{ name: 'silent', version: '1.0.0' }], folder)).toThrow(
    'No licence text was found for silent 1.0.0',
  );
});
