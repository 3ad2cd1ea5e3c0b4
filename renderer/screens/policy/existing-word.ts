import { ApiProblem } from '../../../shared/ui/http/request.ts';

/** The already registered word, if that is the reason why a change is refused. */
export function existingWord(error: unknown): string | null {
  if (!(error instanceof ApiProblem)) return null;
  return error.fieldErrors.find(({ path }) => path.startsWith('words.'))?.message ?? null;
}
