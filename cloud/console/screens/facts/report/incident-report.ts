/**
 * A day's report for those who have no console at hand: one page that needs nothing else. All verdicts stand in it,
 * whatever the screen shows of them, each with its rule and the facts that it read; then what is not measured, and the
 * facts themselves, from which the console judges the day again (`facts-file.ts`).
 */
import type { Text } from '../../../../../shared/ui/i18n/use-text.ts';
import type { Language } from '../../../../../shared/ui/i18n/languages.ts';
import type { MessageId } from '../../../i18n/use-text.ts';
import { RULES } from '../../../rules/engine.ts';
import { SEVERITIES, type ReadFacts, type Sentence, type Severity, type Verdict } from '../../../rules/rule.ts';
import { absentFacts, kindOf, unseenFacts } from '../values/axes.ts';
import { factWords } from '../values/fact-words.ts';
import { follow } from '../values/pointers.ts';
import { writeReportFacts } from './report-facts.ts';
import { whoseFacts } from '../values/sides.ts';

export interface Reported {
  facts: ReadFacts;
  /** The facts that the rules compared with; null: none. */
  previous: ReadFacts | null;
  verdicts: readonly Verdict[];
  /** The name of the file that the facts were read from; null: the server's answer. */
  file: string | null;
  /** Where the same is seen in the console: of an absolute day. Null for a file. */
  address: string | null;
  at: Date;
}

export interface ReportWords {
  language: Language;
  text: Text<MessageId>;
  sentenceOf: (sentence: Sentence) => string;
}

export const reportNameOf = ({ meta }: ReadFacts): string => `causeway-report-${meta.today}.html`;

/** Beside the word, for whoever sees no colours. */
const SIGNS: Readonly<Record<Severity, string>> = {
  BAD: '✕',
  WARNING: '▲',
  UNKNOWN: '?',
  NOT_MEASURED: '–',
  GOOD: '✓',
};

export function writeReport(reported: Reported, words: ReportWords): string {
  const { text } = words;
  const { facts, previous, verdicts } = reported;
  const title = text('report.title', { day: facts.meta.today });
  return `<!doctype html>
<html lang="${words.language}">
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width">
<title>${escape(title)}</title>
<style>${STYLE}</style>
<h1>${escape(title)}</h1>
${headOf(reported, words)}
<h2>${escape(text('verdicts.title'))}</h2>
<p>${SEVERITIES.map((severity) => `${badgeOf(severity, text)} ${verdicts.filter((one) => one.severity === severity).length}`).join(' · ')}</p>
${verdicts.map((verdict) => verdictOf(verdict, reported, words)).join('\n')}
<h2>${escape(text('unseen.title'))}</h2>
${unseenOf(facts, text)}
<h2>${escape(text('facts.title'))}</h2>
<p>${escape(text('report.facts'))}</p>
${writeReportFacts({ facts, previous }, [text('report.json'), text('report.earlier')].map(escape))}
</html>
`;
}

function headOf({ facts, previous, file, address, at }: Reported, { text }: ReportWords): string {
  const time = (value: unknown): string => valueOf(value, '/meta/db', text);
  const rows = [
    [text('facts.side.viewed'), `${escape(facts.meta.today)} (KST)`],
    [text('facts.clock.db'), time(facts.meta.db)],
    [text('facts.clock.cloud'), time(facts.meta.cloud)],
    [
      text('facts.source'),
      escape(file === null ? text('facts.source.server') : text('facts.source.file', { name: file })),
    ],
    [
      text('report.compared'),
      previous === null ? escape(text('report.compared.none')) : escape(whoseFacts(text, previous, true)),
    ],
    [text('report.at'), time(at.toISOString())],
    ...(address === null ? [] : [[text('report.address'), `<a href="${escape(address)}">${escape(address)}</a>`]]),
  ];
  return tableOf(
    [],
    rows.map(([name = '', value = '']) => [escape(name), value]),
  );
}

function verdictOf(verdict: Verdict, { facts, previous }: Reported, { text, sentenceOf }: ReportWords): string {
  const rule = RULES.find(({ id }) => id === verdict.rule);
  const named = text('verdicts.rule', { rule: verdict.rule, version: verdict.version });
  const meaning = rule === undefined ? '' : ` · ${text('verdict.meaning', { meaning: text(rule.meaning) })}`;
  const rows = verdict.facts.map((pointer) => {
    const { path, value, isEarlier } = follow(pointer, facts, previous);
    const whose = isEarlier ? previous : facts;
    return [
      `<code>${escape(path)}</code>`,
      valueOf(value, path, text),
      whose === null ? '' : escape(whoseFacts(text, whose, isEarlier)),
    ];
  });
  return `<section>
<h3>${badgeOf(verdict.severity, text)} ${escape(sentenceOf(verdict.sentence))}</h3>
<p>${escape(`${named}${meaning}`)}</p>
${tableOf([text('verdict.pointer'), text('verdict.value'), text('verdict.of')], rows)}
</section>`;
}

function unseenOf(facts: ReadFacts, text: Text<MessageId>): string {
  const absent = absentFacts(facts);
  const unseen = unseenFacts(facts);
  if (absent.length + unseen.length === 0) return `<p>${escape(text('unseen.nothing'))}</p>`;
  const listOf = (meaning: string, pointers: readonly string[]): string =>
    pointers.length === 0
      ? ''
      : `<p>${escape(meaning)}</p><ul>${pointers.map((one) => `<li><code>${escape(one)}</code></li>`).join('')}</ul>`;
  return listOf(text('unseen.absent'), absent) + listOf(text('unseen.null'), unseen);
}

const badgeOf = (severity: Severity, text: Text<MessageId>): string =>
  `<b class="${severity}"><span aria-hidden="true">${SIGNS[severity]}</span> ${escape(text(`severity.${severity}`))}</b>`;

function valueOf(value: unknown, path: string, text: Text<MessageId>): string {
  const { state, words } = factWords(text, value, kindOf(path));
  return `<span class="${state}">${escape(words)}</span>`;
}

/** The first cell of a row says what it is about. Cells are HTML, heads are words. */
function tableOf(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const head =
    heads.length === 0 ? '' : `<tr>${heads.map((one) => `<th scope="col">${escape(one)}</th>`).join('')}</tr>`;
  const body = rows.map(
    ([name = '', ...cells]) =>
      `<tr><th scope="row">${name}</th>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`,
  );
  return `<table>${head}${body.join('\n')}</table>`;
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
};
const escape = (words: string): string => words.replaceAll(/[&<>"]/g, (sign) => ENTITIES[sign] ?? '');

const STYLE = `
:root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif; }
body { max-width: 62rem; margin: 2rem auto; padding: 0 1rem; overflow-wrap: anywhere; }
h3 { margin: 1.2rem 0 0; font-size: 1rem; }
section p { margin: 0 0 .3rem; }
table { border-collapse: collapse; }
th, td { padding: .1rem .8rem .1rem 0; border-bottom: 1px solid #8886; text-align: left; vertical-align: top; font-weight: normal; }
b { padding: 0 .4em; border: 1px solid; border-radius: 3px; }
.BAD { border-style: double; border-width: 3px; }
.UNKNOWN, .null { border-style: dashed; }
.NOT_MEASURED, .absent { border-style: dotted; }
.zero, .null, .absent { padding: 0 .4em; border-width: 1px; }
.zero { border: 1px solid; }
pre { overflow: auto; max-height: 30rem; white-space: pre-wrap; }
section { break-inside: avoid; }
`;
