/**
 * Checks references to the pages of `shared/contract`: every decision and every section that a file names exists there,
 * every decision stands in one page and names its code and its tests, and the list of the pages tells where. A number
 * that left the pages has a row of the list, which leads to the place that holds its rule now. The records of choices
 * are few, numbered and of one form.
 */
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { readSource, writtenFiles, type Check } from './sources.ts';

const FOLDER = 'shared/contract';
const DECISIONS = `${FOLDER}/decisions`;
const LIST = `${DECISIONS}/README.md`;
const CHOICES = `${FOLDER}/choices.md`;
const MOST_CHOICES = 25;
const PAGES: Readonly<Record<string, string>> = {
  'console api': `${FOLDER}/console-api.md`,
  'operator api': `${FOLDER}/operator-api.md`,
  'sync protocol': `${FOLDER}/sync-protocol.md`,
};

/** Space, or the end of a line with the marker that begins the next line of a comment. */
const GAP = String.raw`(?:[ ]|[ ]?\n[ \t]*(?:\*|//|#|>)?[ \t]*)`;
const NUMBER = String.raw`\d+(?:\.\d+)?`;
const SECTION = new RegExp(
  String.raw`\b(console${GAP}API|operator${GAP}API|sync${GAP}protocol)${GAP}(${NUMBER}(?:(?:,|${GAP}and|${GAP}to)${GAP}${NUMBER})*)(?![\d%])` +
    String.raw`(?:,${GAP}(?:([\w-]+)${GAP})?(?:rule|principle)s?${GAP}(\d+(?:(?:,|${GAP}and|${GAP}to)${GAP}\d+)*))?`,
  'gi',
);
const DECISION = /(?<![\w.-])D(\d{1,3})\b(?![.-]\d)/g;
/** Written in pieces, so that this file does not find itself. */
const OLD_FORM = new RegExp(String.raw`\bdocument${'s?'} [123]\b`, 'gi');

interface Page {
  /** `4`, `4.1`, … */
  sections: Set<string>;
  /** The numbered rules of each section, by the first word of their heading too: `4 2`, `4 facts 2`. */
  rules: Set<string>;
}

export const references: Check = {
  name: 'references',
  run: async (root) => {
    const missing = [LIST, CHOICES, ...Object.values(PAGES)].filter((page) => !existsSync(path.join(root, page)));
    if (missing.length > 0) return { read: 0, problems: missing.map((page) => `${page} is missing`) };
    const decisions = readdirSync(path.join(root, DECISIONS))
      .map((name) => `${DECISIONS}/${name}`)
      .filter((file) => file !== LIST)
      .flatMap((file) => decisionsOf(file, readSource(root, file)));
    const pages = new Map(Object.entries(PAGES).map(([name, file]) => [name, pageOf(readSource(root, file))]));
    const moved = movedOf(readSource(root, LIST));
    const known = new Set(decisions.map(({ number }) => number));
    const files = writtenFiles(root);
    const problems = files.flatMap((file) => {
      const text = readSource(root, file);
      return [
        ...Array.from(text.matchAll(DECISION), (match) => ({ at: match.index, what: unknownDecision(match, known) })),
        ...Array.from(text.matchAll(SECTION), (match) => ({ at: match.index, what: unknownSection(match, pages) })),
        ...Array.from(text.matchAll(OLD_FORM), ({ index, 0: words }) => ({ at: index, what: oldForm(words) })),
      ].flatMap(({ at, what }) => (what === null ? [] : [`${file}:${text.slice(0, at).split('\n').length} ${what}`]));
    });
    return {
      read: files.length,
      problems: [
        ...problems,
        ...flawsOf(decisions, moved),
        ...unlisted(decisions, readSource(root, LIST)),
        ...flawsOfChoices(readSource(root, CHOICES)),
      ],
    };
  },
};

function unknownDecision([name, number = '']: RegExpExecArray, known: ReadonlySet<number>): string | null {
  return known.has(Number(number)) ? null : `names ${name}, which no page of ${DECISIONS} has`;
}

function unknownSection(match: RegExpExecArray, pages: ReadonlyMap<string, Page>): string | null {
  const [whole, name = '', list = '', kind = '', rules = ''] = match;
  const page = pages.get(name.toLowerCase().replace(/\W+/g, ' '));
  const sections = numbersOf(list);
  const told = whole.replace(/\s+(?:\*|\/\/|#)?\s*/g, ' ');
  const unknown = sections.find((section) => page?.sections.has(section) !== true);
  if (unknown !== undefined) return `names "${told}", and that page has no section ${unknown}`;
  const under = [sections.at(-1), kind.toLowerCase()].filter(Boolean).join(' ');
  const rule = numbersOf(rules).find((one) => page?.rules.has(`${under} ${one}`) !== true);
  return rule === undefined ? null : `names "${told}", and that section has no such rule ${rule}`;
}

const oldForm = (words: string): string => `says "${words}": name the page and the section, as "sync protocol 4"`;

/** Every number of a list; of a span both ends. */
const numbersOf = (list: string): string[] => list.match(/\d+(?:\.\d+)?/g) ?? [];

/** The numbered headings of a page, and the numbered rules under them. */
function pageOf(text: string): Page {
  const page: Page = { sections: new Set(), rules: new Set() };
  let section = '';
  let kind = '';
  for (const line of text.split('\n')) {
    const [, number] = /^#{2,4} (\d+(?:\.\d+)?)(?:\.)? /.exec(line) ?? [];
    if (number !== undefined) {
      section = number;
      kind = '';
      page.sections.add(number);
    }
    kind = /^([\w-]+) rules:$/i.exec(line)?.[1]?.toLowerCase() ?? kind;
    const [, rule] = /^(\d+)\. /.exec(line) ?? [];
    if (rule === undefined) continue;
    const top = section.split('.')[0] ?? '';
    for (const at of new Set([section, top]))
      for (const under of kind === '' ? [at] : [`${at} ${kind}`, at]) page.rules.add(`${under} ${rule}`);
  }
  return page;
}

interface Decision {
  number: number;
  /** The page that it stands in. */
  file: string;
  text: string;
}

function decisionsOf(file: string, text: string): Decision[] {
  return text
    .split(/^### /m)
    .slice(1)
    .map((part) => ({ number: Number(/^D(\d+) /.exec(part)?.[1] ?? Number.NaN), file, text: part }));
}

/** The rows of the list for numbers that left the pages: `| 41 | … |`. */
function movedOf(list: string): Decision[] {
  return Array.from(list.matchAll(/^\| *(\d+) *\|.*/gm), ([text, number]) => ({
    number: Number(number),
    file: LIST,
    text,
  }));
}

/**
 * Numbered from 1 without a hole, in order on each page, and each with its code and a test or, of one that left, with a
 * link. That these files exist is `named-places.ts`'s.
 */
function flawsOf(decisions: readonly Decision[], moved: readonly Decision[]): string[] {
  const inOrder = [...decisions, ...moved].toSorted((a, b) => a.number - b.number);
  const numbers = inOrder.flatMap(({ number, file, text }, index) =>
    number === index + 1 ? [] : [`${file}: D${index + 1} is due where "${text.split('\n')[0]}" stands`],
  );
  const pages = decisions.flatMap(({ number, file }, index) => {
    const before = decisions[index - 1];
    return before?.file === file && before.number > number
      ? [`${file}: D${number} stands after D${before.number}`]
      : [];
  });
  const places = decisions.flatMap(({ number, file, text }) => {
    const code = /^Code: .*`[\w./-]+`/m.test(text);
    const tests = /\bTests: .*`[\w./-]+\.test\.tsx?`/.test(text);
    return code && tests ? [] : [`${file}: D${number} names no ${code ? 'test' : 'code'}`];
  });
  const astray = moved.filter(({ text }) => !/\]\([^)]+\)/.test(text));
  return [
    ...numbers.slice(0, 1),
    ...pages,
    ...places,
    ...astray.map(({ number }) => `${LIST}: the row of ${number} leads nowhere`),
  ];
}

/** The row of a page ends with the numbers that stand there: `1 to 7, 11`. */
function unlisted(decisions: readonly Decision[], list: string): string[] {
  return [...Map.groupBy(decisions, ({ file }) => file)].flatMap(([file, ofPage]) => {
    const told = spansOf(ofPage.map(({ number }) => number));
    const row = list.split('\n').find((line) => line.includes(`(${path.basename(file)})`));
    return row?.includes(`| ${told} `) === true ? [] : [`${LIST}: ${path.basename(file)} has ${told}`];
  });
}

/** Each record says since when it holds, what for, what was chosen, and what that costs. */
function flawsOfChoices(text: string): string[] {
  const records = text.split(/^### /m).slice(1);
  const flaws = records.flatMap((record, index) => [
    ...(record.startsWith(`${index + 1}. `)
      ? []
      : [`${CHOICES}: record ${index + 1} is due where "${record.split('\n')[0]}" stands`]),
    ...['Status: .*\\d{4}-\\d{2}-\\d{2}', 'Context: ', 'Choice: ', 'Cost: ']
      .filter((part) => !new RegExp(`^- ${part}`, 'm').test(record))
      .map((part) => `${CHOICES}: record ${index + 1} has no line "${part}"`),
  ]);
  return records.length > MOST_CHOICES
    ? [...flaws, `${CHOICES} has ${records.length} records: ${MOST_CHOICES} at most`]
    : flaws;
}

function spansOf(numbers: readonly number[]): string {
  const spans: [number, number][] = [];
  for (const number of numbers) {
    const last = spans.at(-1);
    if (last !== undefined && last[1] === number - 1) last[1] = number;
    else spans.push([number, number]);
  }
  return spans
    .map(([from, to]) => (from === to ? `${from}` : `${from}${to === from + 1 ? ',' : ' to'} ${to}`))
    .join(', ');
}
