/** What is changed in a node of the syntax tree. */
import { bare, nodeAt, nodesAt, type Node } from './syntax.ts';
import { sqlAlternatives } from './sql.ts';

export interface Alternative {
  operator: string;
  /** The text instead of the node's; empty where the node is removed. */
  text: string;
  /** How a node is removed. */
  form?: 'statement' | 'property' | 'element';
}

export interface Place {
  parent: Node | null;
  /** A link of an optional chain cannot be put in parentheses. */
  inChain: boolean;
  /** In the text of an error or of a log line. */
  inMessage: boolean;
  /** What is deleted or counted up is no value. */
  isTarget: boolean;
}

const BOUNDARY: Readonly<Record<string, string>> = { '<': '<=', '<=': '<', '>': '>=', '>=': '>' };
const NEGATION: Readonly<Record<string, string>> = {
  '===': '!==',
  '!==': '===',
  '<': '>=',
  '<=': '>',
  '>': '<=',
  '>=': '<',
};
const ARITHMETIC: Readonly<Record<string, string>> = { '+': '-', '-': '+', '*': '/', '/': '*', '%': '*', '**': '*' };
const ASSIGNED: Readonly<Record<string, string>> = { '+=': '-=', '-=': '+=', '*=': '/=', '/=': '*=' };

/** Calls that a value passes through: without them it is of the same kind. */
const LINKS = new Set(
  `filter sort toSorted reverse toReversed slice trim toLowerCase toUpperCase normalize where whereRef andWhere orWhere
  having orderBy limit offset distinct forUpdate onConflict`.split(/\s+/),
);

/** The node removed: a statement with an effect, an early return or throw, a property, an element. */
export function removalOf(node: Node, { parent }: Place): Alternative | null {
  const removed = (operator: string, form: 'statement' | 'property' | 'element'): Alternative => ({
    operator,
    text: '',
    form,
  });
  if (node.type === 'ExpressionStatement') return hasEffect(node) ? removed('removed statement', 'statement') : null;
  if (node.type === 'ThrowStatement') return removed('removed throw', 'statement');
  if (node.type === 'ReturnStatement') return isEarly(node, parent) ? removed('removed return', 'statement') : null;
  if (node.type === 'Property' && parent?.type === 'ObjectExpression')
    return node['kind'] === 'init' ? removed('removed property', 'property') : null;
  if (parent?.type === 'ArrayExpression' && node.type !== 'SpreadElement' && nodesAt(parent, 'elements').length > 1)
    return removed('removed element', 'element');
  return null;
}

function hasEffect(statement: Node): boolean {
  if (typeof statement['directive'] === 'string') return false;
  const expression = nodeAt(statement, 'expression');
  const inner = expression?.type === 'AwaitExpression' ? nodeAt(expression, 'argument') : expression;
  if (inner === null) return false;
  if (inner.type === 'CallExpression') return nodeAt(inner, 'callee')?.type !== 'Super';
  // The name of an error class is not a decision.
  const target = inner.type === 'AssignmentExpression' ? nodeAt(inner, 'left') : null;
  if (target !== null && nodeAt(target, 'object')?.type === 'ThisExpression')
    return nodeAt(target, 'property')?.['name'] !== 'name';
  return ['AssignmentExpression', 'UpdateExpression', 'ChainExpression'].includes(inner.type);
}

const isEarly = (node: Node, parent: Node | null): boolean =>
  parent?.type === 'IfStatement' || (parent?.type === 'BlockStatement' && nodesAt(parent, 'body').at(-1) !== node);

/** What may stand instead of the node. */
export function alternativesOf(node: Node, place: Place, source: string): Alternative[] {
  if (place.isTarget) return [];
  const text = (one: Node): string => source.slice(one.start, one.end);
  const condition = conditionAlternatives(node, place);
  return [...condition, ...ownAlternatives(node, place, text, condition.length > 0)];
}

/** The condition of a branch is always true, and always false. */
function conditionAlternatives(node: Node, { parent }: Place): Alternative[] {
  if (parent === null || nodeAt(parent, 'test') !== node) return [];
  const never = { operator: 'condition', text: 'false' };
  if (parent.type === 'SwitchCase' || node.type === 'Literal') return [];
  return ['IfStatement', 'ConditionalExpression'].includes(parent.type)
    ? [{ operator: 'condition', text: 'true' }, never]
    : [never];
}

function ownAlternatives(node: Node, place: Place, text: (one: Node) => string, isCondition: boolean): Alternative[] {
  switch (node.type) {
    case 'BinaryExpression':
      return binary(node, text, isCondition);
    case 'LogicalExpression':
      return logical(node, text);
    case 'AssignmentExpression': {
      const operator = ASSIGNED[String(node['operator'])];
      const [left, right] = [nodeAt(node, 'left'), nodeAt(node, 'right')];
      if (operator === undefined || left === null || right === null || isText(right)) return [];
      return [{ operator: 'arithmetic', text: `${text(left)} ${operator} ${text(right)}` }];
    }
    case 'UpdateExpression':
      return [
        { operator: 'arithmetic', text: swapped(text(node), node['operator'] === '++' ? ['++', '--'] : ['--', '++']) },
      ];
    case 'UnaryExpression': {
      const argument = nodeAt(node, 'argument');
      if (argument === null || !['!', '-'].includes(String(node['operator']))) return [];
      return isCondition && node['operator'] === '!' ? [] : [{ operator: 'negation', text: text(argument) }];
    }
    case 'ChainExpression':
      return optionalLinks(node).map((at) => {
        const start = text(node).indexOf('?.', at - node.start);
        const [before, after] = [text(node).slice(0, start), text(node).slice(start + 2)];
        return { operator: 'optional chaining', text: `${before}${/^[[(]/.test(after) ? '' : '.'}${after}` };
      });
    case 'CallExpression':
      return place.inChain ? [] : removedLink(node, text);
    case 'TaggedTemplateExpression': {
      const quasi = nodeAt(node, 'quasi');
      return quasi === null ? [] : sqlAlternatives(text(node), text(quasi));
    }
    default:
      return literal(node, place, text);
  }
}

function binary(node: Node, text: (one: Node) => string, isCondition: boolean): Alternative[] {
  const operator = String(node['operator']);
  const [left, right] = [nodeAt(node, 'left'), nodeAt(node, 'right')];
  if (left === null || right === null) return [];
  const to = (other: string, name: string): Alternative => ({
    operator: name,
    text: `${text(left)} ${other} ${text(right)}`,
  });
  const boundary = BOUNDARY[operator];
  const negation = NEGATION[operator];
  const arithmetic = ARITHMETIC[operator];
  return [
    ...(boundary === undefined ? [] : [to(boundary, 'boundary')]),
    ...(negation === undefined || isCondition ? [] : [to(negation, 'comparison')]),
    ...(arithmetic === undefined || isText(left) || isText(right) ? [] : [to(arithmetic, 'arithmetic')]),
  ];
}

function logical(node: Node, text: (one: Node) => string): Alternative[] {
  const [left, right] = [nodeAt(node, 'left'), nodeAt(node, 'right')];
  if (left === null || right === null) return [];
  if (node['operator'] === '??') {
    const withDefault = { operator: 'default', text: text(right) };
    // The default behind an index is there for the type: `codes[at] ?? 0`.
    return isIndexed(left) ? [withDefault] : [{ operator: 'default', text: text(left) }, withDefault];
  }
  const other = node['operator'] === '&&' ? '||' : '&&';
  return [{ operator: 'logical', text: `(${text(left)}) ${other} (${text(right)})` }];
}

/** What the type alone asks for is no decision, and neither is its value. */
function isDefaultBehindIndex(node: Node, parent: Node | null): boolean {
  const left = parent?.type === 'LogicalExpression' && parent['operator'] === '??' ? nodeAt(parent, 'left') : null;
  return left !== null && left !== node && isIndexed(left);
}

const isIndexed = (node: Node): boolean => {
  const inner = bare(node);
  return inner.type === 'MemberExpression' && inner['computed'] === true;
};

/** The call of a link removed: `rows.filter(wanted)` becomes `rows`. */
function removedLink(node: Node, text: (one: Node) => string): Alternative[] {
  const callee = nodeAt(node, 'callee');
  if (callee?.type !== 'MemberExpression' || callee['computed'] === true) return [];
  const [object, property] = [nodeAt(callee, 'object'), nodeAt(callee, 'property')];
  if (object === null || object.type === 'Super' || !LINKS.has(String(property?.['name']))) return [];
  return [{ operator: `removed .${String(property?.['name'])}()`, text: text(object) }];
}

function literal(node: Node, { inMessage, parent }: Place, text: (one: Node) => string): Alternative[] {
  if (node.type === 'ArrayExpression')
    return nodesAt(node, 'elements').length > 0 ? [{ operator: 'array', text: '[]' }] : [];
  if (node.type === 'TemplateLiteral') {
    if (inMessage || parent?.type === 'TaggedTemplateExpression') return [];
    const statements = sqlAlternatives(text(node), text(node));
    return statements.length > 0 || isSql(text(node)) ? statements : [{ operator: 'string', text: "''" }];
  }
  if (node.type !== 'Literal' || isDefaultBehindIndex(node, parent)) return [];
  const value = node['value'];
  if (typeof value === 'boolean') return [{ operator: 'boolean', text: String(!value) }];
  if (typeof value === 'number') return [{ operator: 'number', text: String(value + 1) }];
  if (typeof value !== 'string' || inMessage || parent?.type === 'ExpressionStatement') return [];
  const statements = sqlAlternatives(text(node), text(node));
  if (statements.length > 0 || isSql(value)) return statements;
  return [{ operator: 'string', text: value === '' ? "'mutated'" : "''" }];
}

const isSql = (text: string): boolean => /^[`'"\s]*(SELECT|INSERT|UPDATE|DELETE|WITH)\s/.test(text);

function isText(node: Node): boolean {
  const inner = bare(node);
  return inner.type === 'TemplateLiteral' || (inner.type === 'Literal' && typeof inner['value'] === 'string');
}

const swapped = (text: string, [from, to]: [string, string]): string => text.replace(from, to);

/** Where `?.` stands in a chain, without those of chains within its arguments. */
function optionalLinks(chain: Node): number[] {
  const found: number[] = [];
  let node = nodeAt(chain, 'expression');
  while (node !== null && ['MemberExpression', 'CallExpression', 'TSNonNullExpression'].includes(node.type)) {
    const inner: Node | null = nodeAt(
      node,
      node.type === 'MemberExpression' ? 'object' : node.type === 'CallExpression' ? 'callee' : 'expression',
    );
    if (node['optional'] === true && inner !== null) found.push(inner.end);
    node = inner;
  }
  return found.toReversed();
}
