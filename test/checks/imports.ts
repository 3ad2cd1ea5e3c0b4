/** Reads every way in which a TypeScript or JavaScript file can bring in another module, with a real parser. */
import { parseSync } from 'rolldown/utils';

export interface Import {
  /** The specifier as written; null when it is computed and the import cannot be known. */
  specifier: string | null;
  /** Gone after compilation: `import type`, `export type … from`, `import('…').T` as a type. */
  typeOnly: boolean;
  /** From 1. */
  line: number;
}

/** A file that does not parse cannot be checked, which is a failure and not an absence of imports. */
export class UnreadableSourceError extends Error {
  constructor(file: string, why: string) {
    super(`${file} cannot be parsed: ${why}`);
    this.name = 'UnreadableSourceError';
  }
}

type Node = Record<string, unknown> & { type: string; start: number };

/** All imports of a source text, in order. */
export function importsOf(file: string, source: string): Import[] {
  const parsed = parseSync(file, source, { lang: languageOf(file) });
  const error = parsed.errors.find((one) => one.severity === 'Error');
  if (error !== undefined) throw new UnreadableSourceError(file, error.message);
  const found: Import[] = [];
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) {
      for (const item of value) visit(item);
    } else if (isNode(value)) {
      const brought = broughtInBy(value);
      if (brought !== null) found.push({ ...brought, line: source.slice(0, value.start).split('\n').length });
      for (const child of Object.values(value)) visit(child);
    }
  };
  visit(parsed.program);
  return found;
}

function languageOf(file: string): 'ts' | 'tsx' | 'js' | 'jsx' {
  if (/\.[cm]?ts$/.test(file)) return 'ts';
  if (file.endsWith('.tsx')) return 'tsx';
  return file.endsWith('.jsx') ? 'jsx' : 'js';
}

function broughtInBy(node: Node): Omit<Import, 'line'> | null {
  switch (node.type) {
    case 'ImportDeclaration':
      return {
        specifier: textOf(node['source']),
        typeOnly: node['importKind'] === 'type' || onlyTypes(node['specifiers'], 'importKind'),
      };
    case 'ExportAllDeclaration':
      return { specifier: textOf(node['source']), typeOnly: node['exportKind'] === 'type' };
    case 'ExportNamedDeclaration':
      if (node['source'] === null) return null;
      return {
        specifier: textOf(node['source']),
        typeOnly: node['exportKind'] === 'type' || onlyTypes(node['specifiers'], 'exportKind'),
      };
    case 'ImportExpression':
      return { specifier: textOf(node['source']), typeOnly: false };
    case 'TSImportType':
      return { specifier: textOf(node['source']), typeOnly: true };
    case 'TSExternalModuleReference':
      return { specifier: textOf(node['expression']), typeOnly: false };
    case 'CallExpression':
      return loads(node['callee']) && Array.isArray(node['arguments'])
        ? { specifier: textOf(node['arguments'][0]), typeOnly: false }
        : null;
    default:
      return null;
  }
}

/** `require('x')`, `createRequire(…)('x')`, `anything.require('x')`, `import.meta.resolve('x')`. */
function loads(callee: unknown): boolean {
  if (!isNode(callee)) return false;
  switch (callee.type) {
    case 'Identifier':
      return callee['name'] === 'require';
    case 'CallExpression':
      return isNode(callee['callee']) && callee['callee']['name'] === 'createRequire';
    case 'MemberExpression': {
      const property = isNode(callee['property']) ? callee['property']['name'] : null;
      const onMeta = isNode(callee['object']) && callee['object'].type === 'MetaProperty';
      return property === 'require' || (property === 'resolve' && onMeta);
    }
    default:
      return false;
  }
}

/** An import of only types by name. One without names (`import 'x'`) runs the module. */
function onlyTypes(specifiers: unknown, kind: string): boolean {
  return (
    Array.isArray(specifiers) && specifiers.length > 0 && specifiers.every((one) => isNode(one) && one[kind] === 'type')
  );
}

function textOf(node: unknown): string | null {
  if (!isNode(node)) return null;
  if (node.type === 'Literal' && typeof node['value'] === 'string') return node['value'];
  if (node.type === 'TemplateLiteral' && Array.isArray(node['quasis']) && node['quasis'].length === 1) {
    const only: unknown = node['quasis'][0];
    if (isNode(only)) return (only['value'] as { cooked: string }).cooked;
  }
  return null;
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
}
