import { useMantineColorScheme } from '@mantine/core';
import { useEffect } from 'react';

/** Tells the program the chosen colour scheme, so that its windows have that background before they render. */
export function ProgramScheme(): null {
  const { colorScheme } = useMantineColorScheme();
  useEffect(() => {
    // An older program lacks this call and follows the system's scheme.
    window.causewayProgram?.appear?.(colorScheme).catch(() => undefined);
  }, [colorScheme]);
  return null;
}
