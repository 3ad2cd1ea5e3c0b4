/**
 * Pictures of screens, for the eye of a developer: no test reads them, and one takes 0.1 s of processor time. So
 * `npm run test:deep` takes them, also for one file: `npm run test:deep -- browser FILE`.
 */
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright';
import { isDeep } from './depth.ts';
import { PROJECT } from './process.ts';

const FOLDER = path.join(PROJECT, 'artifacts', 'screenshots');

/** A picture `artifacts/screenshots/NAME.png` of what the page shows now. */
export async function takePicture(page: Page, name: string): Promise<void> {
  if (!isDeep) return;
  mkdirSync(FOLDER, { recursive: true });
  await page.screenshot({ path: path.join(FOLDER, `${name}.png`) });
}
