/** The syntax tree of a source text, as far as mutants need it: nodes with their places, without types. */
import { parseSync } from 'rolldown/utils';

export type Node = Record<string, unknown> & { type: string; start: number; end: number };

export function parse(file: string, source: string): Node {
  const parsed = parseSync(file, source, { lang: file.endsWith('x') ? 'tsx' : 'ts' });
  const error = parsed.errors.find((one) => one.severity === 'Error');
  if (error !== undefined) throw new Error(`${file} cannot be parsed: ${error.message}`);
  return parsed.program as unknown as Node;
}

export const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';

export const nodeAt = (node: Node, key: string): Node | null => {
  const value = node[key];
  return isNode(value) ? value : null;
};

export const nodesAt = (node: Node, key: string): Node[] => {
  const value = node[key];
  return Array.isArray(value) ? value.filter(isNode) : [];
};

/** Expressions around which TypeScript writes a type. */
const TYPED = new Set(['TSAsExpression', 'TSSatisfiesExpression', 'TSNonNullExpression', 'TSTypeAssertion']);
const WITHOUT_VALUES = new Set(['ImportDeclaration', 'ExportAllDeclaration', 'TemplateElement', 'MetaProperty']);
const TYPES = new Set(['typeAnnotation', 'returnType', 'typeParameters', 'typeArguments', 'superTypeArguments']);

/** The children that are evaluated, in the order of the text. Names of members and keys are not among them. */
export function childrenOf(node: Node): Node[] {
  if (TYPED.has(node.type)) return nodesOf(node['expression']);
  if (node.type.startsWith('TS') || WITHOUT_VALUES.has(node.type)) return [];
  const skipped = new Set(TYPES);
  if (node['computed'] === false) skipped.add(node.type === 'MemberExpression' ? 'property' : 'key');
  if (node['shorthand'] === true) skipped.add('key');
  if (node.type === 'ExportNamedDeclaration') for (const key of ['specifiers', 'source']) skipped.add(key);
  if (node.type === 'ImportExpression') skipped.add('source');
  return Object.entries(node)
    .flatMap(([key, value]) => (skipped.has(key) ? [] : nodesOf(value)))
    .toSorted((a, b) => a.start - b.start);
}

const nodesOf = (value: unknown): Node[] =>
  Array.isArray(value) ? value.filter(isNode) : isNode(value) ? [value] : [];

/** Without the parentheses and types around it. */
export function bare(node: Node): Node {
  const inner = node.type === 'ParenthesizedExpression' || TYPED.has(node.type) ? nodeAt(node, 'expression') : null;
  return inner === null ? node : bare(inner);
}

export const isFunction = (node: Node): boolean =>
  ['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression'].includes(node.type);
