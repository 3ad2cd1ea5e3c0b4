import { useQuery } from '@tanstack/react-query';
import { useConsole } from '../../api/console-context.tsx';

/** Whether the policy in force wants a second person for what one has written. */
export function useNeedsTwo(): boolean {
  const { queries } = useConsole();
  return useQuery(queries.policy).data?.criteria?.fourEyes === true;
}
