/** What an operator has typed and not sent: it outlives a lost session and a reload of the page (D225). */
import { useState } from 'react';
import { useProfile } from './profile.ts';

const PREFIX = 'causeway.operator.kept';

type FormFields = Readonly<Record<string, string>>;

/**
 * The fields of one form of this operator. An empty form is not kept.
 * @param purpose one per form, and per thing that the form is about
 * @param empty the form before anything was typed; its fields are those that are read
 */
export function useStoredForm<Form extends FormFields>(purpose: string, empty: Form): [Form, (typed: Form) => void] {
  const key = `${PREFIX}.${useProfile().username}.${purpose}`;
  const [kept, setKept] = useState(() => ({ key, form: readStoredForm(sessionStorage.getItem(key), empty) }));
  // The form of another thing.
  const now = kept.key === key ? kept : { key, form: readStoredForm(sessionStorage.getItem(key), empty) };
  if (now !== kept) setKept(now);
  return [
    now.form,
    (form) => {
      setKept({ key, form });
      if (Object.values(form).every((value) => value === '')) sessionStorage.removeItem(key);
      else sessionStorage.setItem(key, JSON.stringify(form));
    },
  ];
}

/** The stored form; the empty one where an entry is none, as after an update of the program. */
export function readStoredForm<Form extends FormFields>(text: string | null, empty: Form): Form {
  try {
    const stored = JSON.parse(text ?? 'null') as Partial<Record<string, unknown>> | null;
    const fields = Object.keys(empty).map((name) => [name, stored?.[name] ?? '']);
    return fields.every(([, value]) => typeof value === 'string') ? (Object.fromEntries(fields) as Form) : empty;
  } catch {
    return empty;
  }
}
