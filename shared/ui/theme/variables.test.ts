import { expect, test } from 'vitest';
import { themeCss } from './theme-css.ts';

test('the style sheet of the theme is the one that the theme makes', async () => {
  await expect(themeCss()).toMatchFileSnapshot('./variables.css');
});
