/** A part beside a command, as in a package. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { entryOf } from '../process.ts';
import { PARTS, type PartName } from '../../../agent/operations/install/parts.ts';

/** @returns the file of the command, which is not there */
export function besidePart(folder: string, part: PartName): string {
  const { source, bundle } = PARTS[part];
  const entry = pathToFileURL(entryOf(source)).href;
  writeFileSync(path.join(folder, `${bundle}.js`), `import ${JSON.stringify(entry)};\n`);
  return path.join(folder, 'causeway-agent.js');
}
