import { useMantineColorScheme } from '@mantine/core';
import { useEffect } from 'react';
import { useLanguagePreference } from '../../shared/ui/theme/preferences.ts';

/**
 * Tells the program the chosen colours and language, so that its windows have that background before they render, and
 * menus, tray and dialogs that language (D234). An older program lacks a call and follows the system.
 */
export function ProgramLooks(): null {
  const { colorScheme } = useMantineColorScheme();
  const [language] = useLanguagePreference();
  useEffect(() => {
    // An earlier page in this window left its acts in the menus.
    window.causewayProgram?.offerMenu?.([]).catch(() => undefined);
  }, []);
  useEffect(() => {
    window.causewayProgram?.appear?.(colorScheme).catch(() => undefined);
  }, [colorScheme]);
  useEffect(() => {
    window.causewayProgram?.speak?.(language).catch(() => undefined);
  }, [language]);
  return null;
}
