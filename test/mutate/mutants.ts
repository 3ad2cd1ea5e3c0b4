/**
 * The mutants of a source text: small changes, each of which a test should notice. All of them are compiled into one
 * text, which runs as the original until one is switched on (`runner.ts`).
 */
import { alternativesOf, removalOf, type Alternative, type Place } from './operators.ts';
import { childrenOf, isFunction, nodeAt, parse, type Node } from './syntax.ts';

export interface Mutant {
  /** From 0, in the order of the text. */
  id: number;
  line: number;
  operator: string;
  before: string;
  after: string;
  /** Outside of every function: it acts when the module is loaded. */
  atLoad: boolean;
}

export interface Mutated {
  mutants: Mutant[];
  /** The text with the chosen mutants compiled in. */
  compiled: (chosen: ReadonlySet<number>, firstNumber?: number) => string;
}

/** How the text asks whether a mutant is on. */
const ASKED = '__mutant';
// An endless loop asks on and on, which is where it can be stopped.
const HEAD = `const ${ASKED} = (n) => { const s = globalThis.__causewayMutation; if (s === undefined) return false; s.seen?.add(n); if (s.asked++ > 16384) s.stopLoop(); return s.active === n; };`;

interface Site {
  alternatives: (Alternative & { id: number })[];
  removal: (Alternative & { id: number }) | null;
}

export function mutate(file: string, source: string): Mutated {
  const program = parse(file, source);
  const mutants: Mutant[] = [];
  const sites = new Map<Node, Site>();
  const number = (node: Node, one: Alternative, atLoad: boolean): Alternative & { id: number } => {
    const id = mutants.length;
    const line = source.slice(0, node.start).split('\n').length;
    const before = source.slice(node.start, node.end);
    mutants.push({ id, line, operator: one.operator, before, after: one.text, atLoad });
    return { ...one, id };
  };
  const visit = (node: Node, place: Place, atLoad: boolean): void => {
    const removal = removalOf(node, place);
    const alternatives = alternativesOf(node, place, source);
    if (removal !== null || alternatives.length > 0)
      sites.set(node, {
        removal: removal === null ? null : number(node, removal, atLoad),
        alternatives: alternatives.map((one) => number(node, one, atLoad)),
      });
    const inside = placeOf(node, place);
    for (const child of childrenOf(node))
      visit(child, { ...inside, parent: node }, atLoad && !isFunction(node) && node.type !== 'PropertyDefinition');
  };
  visit(program, { parent: null, inChain: false, inMessage: false, isTarget: false }, true);

  const compiled = (chosen: ReadonlySet<number>, firstNumber = 0): string => {
    const asked = (id: number): string => `${ASKED}(${firstNumber + id})`;
    const render = (node: Node): string => {
      let text = '';
      let at = node.start;
      for (const child of childrenOf(node)) {
        if (child.start < at) continue;
        text += source.slice(at, child.start) + render(child);
        at = child.end;
      }
      text += source.slice(at, node.end);
      const site = sites.get(node);
      if (site === undefined) return text;
      const kept = site.alternatives.filter(({ id }) => chosen.has(id));
      if (kept.length > 0) text = `(${kept.map(({ id, text: to }) => `${asked(id)} ? (${to}) : `).join('')}(${text}))`;
      const { removal } = site;
      if (removal === null || !chosen.has(removal.id)) return text;
      if (removal.form === 'statement') return `{ if (${asked(removal.id)}) {} else { ${text} } }`;
      return removal.form === 'property'
        ? `...(${asked(removal.id)} ? {} : { ${text} })`
        : `...(${asked(removal.id)} ? [] : [${text}])`;
    };
    // The line of the head is that of the first statement, so that the lines of a trace stay right.
    return `${HEAD}${source.slice(0, program.start)}${render(program)}${source.slice(program.end)}`;
  };
  return { mutants, compiled };
}

function placeOf(node: Node, place: Place): Omit<Place, 'parent'> {
  const isError = node.type === 'NewExpression' && nameOf(nodeAt(node, 'callee')).endsWith('Error');
  const callee = node.type === 'CallExpression' ? nodeAt(node, 'callee') : null;
  const isSuper = callee?.type === 'Super';
  const isLog = callee?.type === 'MemberExpression' && /^(log|logger|console)$/.test(nameOf(nodeAt(callee, 'object')));
  const target = node.type === 'AssignmentExpression' ? nodeAt(node, 'left') : null;
  const ofThis = target !== null && nodeAt(target, 'object')?.type === 'ThisExpression' ? target : null;
  const isErrorName = nameOf(node.type === 'PropertyDefinition' ? nodeAt(node, 'key') : ofThis) === 'name';
  return {
    inChain:
      node.type === 'ChainExpression' || (place.inChain && ['MemberExpression', 'CallExpression'].includes(node.type)),
    inMessage: (place.inMessage && !isFunction(node)) || isError || isErrorName || isSuper || isLog,
    isTarget: node.type === 'UpdateExpression' || (node.type === 'UnaryExpression' && node['operator'] === 'delete'),
  };
}

function nameOf(node: Node | null): string {
  if (node === null) return '';
  if (node.type === 'Identifier') return String(node['name']);
  return node.type === 'MemberExpression' ? nameOf(nodeAt(node, 'property')) : '';
}
