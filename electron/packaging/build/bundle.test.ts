import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { tokensByMedia, updaterSettings } from './bundle.ts';
import { PackagingError, PROJECT } from './inputs.ts';

const SHELL_PAGE = join(PROJECT, 'electron/main/windows/shell-page');
const tokens = tokensByMedia(readFileSync(join(PROJECT, 'shared/ui/theme/tokens.css'), 'utf8'));

test("the program's own pages have the console's tokens, dark where the system is", () => {
  expect(tokens).toContain('@media (prefers-color-scheme: dark) {\n  :root {');
  expect(tokens).not.toContain('data-mantine-color-scheme');
  expect(() => tokensByMedia(':root {}')).toThrow(PackagingError);
});

test.each(['page.css', 'setup.css', 'manual.css'])('%s takes every colour from them', (file) => {
  const css = readFileSync(join(SHELL_PAGE, file), 'utf8');
  expect(css).not.toMatch(/#[0-9a-f]{3,8}\b(?![^{]*\{)/i);
  for (const [, name] of css.matchAll(/var\((--[\w-]+)\)/g)) expect(tokens).toContain(`${name}:`);
});

test('an installed program accepts only installers with the same Authenticode publisher', () => {
  expect(updaterSettings('Vendor "Quoted" Inc.')).toContain('\npublisherName: "Vendor \\"Quoted\\" Inc."\n');
  expect(updaterSettings(null)).not.toContain('publisherName');
});
