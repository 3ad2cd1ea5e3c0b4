import { useMantineColorScheme } from '@mantine/core';
import { useEffect } from 'react';

/** Tells the program which colour scheme a person has chosen, so that its windows have that ground before they are drawn. */
export function ProgramScheme(): null {
  const { colorScheme } = useMantineColorScheme();
  useEffect(() => {
    // An older program does not know it, and goes by the system's.
    window.causewayProgram?.appear?.(colorScheme).catch(() => undefined);
  }, [colorScheme]);
  return null;
}
