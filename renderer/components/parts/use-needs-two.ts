import { useQuery } from '@tanstack/react-query';
import { useConsole } from '../../api/console-context.tsx';

/** Whether the policy in force requires a second person for the user's own text. */
export function useNeedsTwo(): boolean {
  const { queries } = useConsole();
  return useQuery(queries.policy).data?.criteria?.fourEyes === true;
}
