/** Describes a load's schema faults in our own words: the field, the fault, and the allowed values. */
import type { z } from 'zod';

/** The most faults of one line that are reported. */
const TOLD = 3;

/** @param issues the schema's findings; @param root the checked value; @returns a clause without a full stop */
export function describeFlaws(issues: readonly z.core.$ZodIssue[], root: unknown): string {
  const told = issues.slice(0, TOLD).map((issue) => describeFlaw(issue, root));
  const more = issues.length > TOLD ? ` (and ${issues.length - TOLD} more)` : '';
  return `${told.join('; ')}${more}`;
}

const KINDS: Record<string, string> = {
  string: 'text',
  number: 'a number within the range of a double',
  array: 'a list',
  object: 'an object',
  record: 'an object',
};

function describeFlaw(issue: z.core.$ZodIssue, root: unknown): string {
  const place = issue.path.length === 0 ? 'the line' : issue.path.map(String).join('.');
  switch (issue.code) {
    case 'invalid_type': {
      const allowed = KINDS[issue.expected] ?? issue.expected;
      const found = valueAt(root, issue.path);
      return found === undefined
        ? `${place}: is missing and must be ${allowed}`
        : `${place}: must be ${allowed}, and is ${kindOf(found)}`;
    }
    case 'invalid_value':
      return `${place}: must be one of ${issue.values.map(String).join(', ')}`;
    case 'invalid_union':
      return `${place}: must be one of ${(issue.inclusive === false ? [] : (issue.options ?? [])).map(String).join(', ')}`;
    case 'unrecognized_keys':
      return issue.keys.map((key) => `${[...issue.path.map(String), key].join('.')}: is no field of a load`).join('; ');
    case 'too_big':
      return issue.origin === 'string'
        ? `${place}: may have at most ${issue.maximum} characters`
        : issue.origin === 'array'
          ? `${place}: may have at most ${issue.maximum} elements`
          : `${place}: may be at most ${issue.maximum}`;
    case 'too_small':
      return issue.origin === 'string' ? `${place}: must not be empty` : `${place}: must be at least ${issue.minimum}`;
    case 'invalid_format':
      return issue.format === 'datetime'
        ? `${place}: must be an instant with seconds and an offset, for example 2026-11-20T15:30:00+09:00`
        : `${place}: ${issue.message}`;
    case 'custom':
      return `${place}: ${issue.message}`;
    case 'not_multiple_of':
    case 'invalid_key':
    case 'invalid_element':
      // No field of a load is of such a kind.
      return `${place}: does not fit`;
  }
}

function valueAt(root: unknown, path: readonly PropertyKey[]): unknown {
  let value = root;
  for (const step of path) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = (value as Record<PropertyKey, unknown>)[step];
  }
  return value;
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  switch (typeof value) {
    case 'string':
      return 'text';
    case 'number':
      return Number.isFinite(value) ? `the number ${value}` : 'beyond it';
    case 'boolean':
      return value ? 'true' : 'false';
    default:
      return 'an object';
  }
}
