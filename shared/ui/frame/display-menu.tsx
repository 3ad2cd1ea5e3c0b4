/** Language, colour scheme and shortcuts: settings of one user on this machine, before and after login. */
import { Button, Menu, useMantineColorScheme } from '@mantine/core';
import type { ReactNode } from 'react';
import { isLanguage, LANGUAGE_NAMES, LANGUAGES } from '../i18n/languages.ts';
import { useSharedText } from '../i18n/use-text.ts';
import { TakesKeys } from '../keys/takes-keys.tsx';
import { Glyph } from '../parts/glyphs.tsx';
import { useLanguagePreference, useSwitch } from '../theme/preferences.ts';

const SCHEMES = ['light', 'dark', 'auto'] as const;

export function DisplayMenu({ withShortcuts }: { withShortcuts: boolean }): ReactNode {
  const text = useSharedText();
  const [language, setLanguage] = useLanguagePreference();
  // Stopping transitions meanwhile would write a style sheet, which the content security policy forbids.
  const { colorScheme, setColorScheme } = useMantineColorScheme({ keepTransitions: true });
  const [shortcuts, setShortcuts] = useSwitch('shortcuts');
  return (
    <Menu position="bottom-end" width={220}>
      <Menu.Target>
        <Button variant="subtle" color="gray" size="compact-sm" rightSection={<Glyph name="chevron" size={10} />}>
          {text('display.menu')}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <TakesKeys kind="dialog" />
        <div role="group" aria-label={text('display.language')}>
          <Menu.Label>{text('display.language')}</Menu.Label>
          <Menu.RadioGroup value={language} onChange={(value) => isLanguage(value) && setLanguage(value)}>
            {LANGUAGES.map((one) => (
              <Menu.RadioItem key={one} value={one} lang={one}>
                {LANGUAGE_NAMES[one]}
              </Menu.RadioItem>
            ))}
          </Menu.RadioGroup>
        </div>
        <Menu.Divider />
        <div role="group" aria-label={text('display.theme')}>
          <Menu.Label>{text('display.theme')}</Menu.Label>
          <Menu.RadioGroup
            value={colorScheme}
            onChange={(value) => {
              const scheme = SCHEMES.find((one) => one === value);
              if (scheme !== undefined) setColorScheme(scheme);
            }}
          >
            {SCHEMES.map((scheme) => (
              <Menu.RadioItem key={scheme} value={scheme}>
                {text(`display.theme.${scheme}`)}
              </Menu.RadioItem>
            ))}
          </Menu.RadioGroup>
        </div>
        {withShortcuts && (
          <>
            <Menu.Divider />
            <div role="group" aria-label={text('display.shortcuts')}>
              <Menu.Label>{text('display.shortcuts')}</Menu.Label>
              <Menu.CheckboxItem checked={shortcuts} onChange={setShortcuts}>
                {text('display.shortcuts.on')}
              </Menu.CheckboxItem>
            </div>
          </>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}
