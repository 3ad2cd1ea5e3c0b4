/** The licence texts of every package in the bill of materials, as one file in every package of ours. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { PackagingError, PROJECT } from './inputs.ts';
import { billOfMaterials } from './bill-of-materials.ts';

export const NOTICES = 'THIRD-PARTY-NOTICES.txt';

const TEXT = /^(?:licen[cs]e|copying|unlicense)/i;
const NOTICE = /^notice/i;
const RULE = `\n${'='.repeat(80)}\n`;

const MIT = `Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated documentation
files (the "Software"), to deal in the Software without restriction, including without limitation the rights to use, copy,
modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit persons to whom the Software
is furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES
OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE
LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN
CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.`;

/** The product's own LICENSE lies beside the notices and is this text. */
const APACHE = 'Licensed under the Apache License, Version 2.0; its text is that of the file LICENSE beside this one.';
const AMAZON = `Copyright Amazon.com, Inc. or its affiliates. All Rights Reserved.\n\n${APACHE}`;

/**
 * Packages that declare a licence in their `package.json` without a text: reviewed one by one, each with its holder.
 */
const DECLARED: Readonly<Record<string, string>> = {
  '@aws-sdk/credential-provider-http': AMAZON,
  '@aws-sdk/credential-provider-login': AMAZON,
  '@aws-sdk/nested-clients': AMAZON,
  'abstract-logging': `Copyright (c) James Sumners\n\n${MIT}`,
  'garu-ko': `Copyright (c) cyj\n\n${MIT}`,
  'lazy-val': `Copyright (c) Vladimir Krivosheev\n\n${MIT}`,
  'pg-types': `Copyright (c) Brian M. Carlson\n\n${MIT}`,
  pgpass: `Copyright (c) Hannes Hörl\n\n${MIT}`,
  'react-remove-scroll-bar': `Copyright (c) Anton Korzunov\n\n${MIT}`,
  wouter:
    'This is free and unencumbered software released into the public domain (The Unlicense, https://unlicense.org).',
};

const LOCK = z.object({ packages: z.record(z.string(), z.looseObject({ version: z.string().optional() })) });

export interface ShippedPackage {
  name: string;
  version: string;
}

/** @throws PackagingError that names every package without a licence text */
export function noticesOf(shipped: readonly ShippedPackage[], root: string): string {
  const { packages } = LOCK.parse(JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')));
  const texts = shipped.map(({ name, version }) => {
    const place = Object.keys(packages).find(
      (path) => path.endsWith(`node_modules/${name}`) && packages[path]?.version === version,
    );
    return { title: `${name} ${version}`, text: textOf(name, place === undefined ? null : join(root, place)) };
  });
  const lacking = texts.filter(({ text }) => text === null).map(({ title }) => title);
  if (lacking.length > 0)
    throw new PackagingError(`No licence text was found for ${lacking.join(', ')}: add it to ${import.meta.filename}.`);
  return texts.map(({ title, text }) => `${RULE}${title}\n\n${text}\n`).join('');
}

/** A table in the sources that was made from a package's: `agent/screening/reading/hanja-readings.ts`. */
const READINGS_OF_HANJA = `${RULE}hanja 1.1.5 (its table of readings)\n\nCopyright (c) 2023 Rock Picado\n\n${MIT}\n`;

/** Writes the notices of one side's whole product into a folder. @throws PackagingError */
export function writeNotices(folder: string, side: 'tenant' | 'cloud' = 'tenant'): void {
  const notices = noticesOf(billOfMaterials(side === 'tenant' ? ['program'] : [side]).components, PROJECT);
  writeFileSync(join(folder, NOTICES), side === 'tenant' ? notices + READINGS_OF_HANJA : notices);
}

function textOf(name: string, place: string | null): string | null {
  const files = place !== null && existsSync(place) ? readdirSync(place).toSorted() : [];
  const found = files.filter((file) => TEXT.test(file));
  if (place === null || found.length === 0) return DECLARED[name] ?? null;
  const named = [...found, ...files.filter((file) => NOTICE.test(file))];
  return named.map((file) => readFileSync(join(place, file), 'utf8').trim()).join('\n\n');
}
