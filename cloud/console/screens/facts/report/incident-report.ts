/**
 * A day's report for readers without a console: one self-contained page to be read, sent or printed. Failures and their
 * effects come first; then all verdicts, without the screen's filter, each with its rule and the facts that it read;
 * the unmeasured axes; the rules; and the facts as tables and as JSON, from which the console judges the day again
 * (`facts-file.ts`).
 */
import type { Text } from '../../../../../shared/ui/i18n/use-text.ts';
import type { Language } from '../../../../../shared/ui/i18n/languages.ts';
import type { TaskImpact } from '../../../../../shared/wire/operator/operator.ts';
import type { MessageId } from '../../../i18n/use-text.ts';
import { RULES } from '../../../rules/engine.ts';
import { SEVERITIES, type ReadFacts, type Sentence, type Severity, type Verdict } from '../../../rules/rule.ts';
import {
  absentFacts,
  AXIS_IDS,
  fieldsOf,
  isCurrent,
  isOfNow,
  kindOf,
  rowsOf,
  unseenFacts,
  type AxisId,
} from '../values/axes.ts';
import { namedBy } from '../values/fact-link.tsx';
import { factWords, placeWords } from '../values/fact-words.ts';
import { follow, MOST_FACTS } from '../values/pointers.ts';
import { etfsOf, failuresOf, nowMark, tenantsOf } from './report-effects.ts';
import { groupVerdicts, type VerdictGroup } from '../values/verdict-groups.ts';
import { nameVerdicts } from '../values/verdict-keys.ts';
import { code, escape, STYLE, tableOf } from './report-html.ts';
import { writeReportFacts } from './report-facts.ts';
import { isToday, whoseFacts } from '../values/sides.ts';

export interface Reported {
  facts: ReadFacts;
  /** The facts that the rules compared with; null: none. */
  previous: ReadFacts | null;
  verdicts: readonly Verdict[];
  /** The effects of each task that failed; null: it could not be read, as of a saved file. */
  impacts: readonly TaskImpact[] | null;
  /** The name of the file that the facts were read from; null: the server's answer. */
  file: string | null;
  /** The console's address of the same view, with an absolute day. Null for a file. */
  address: string | null;
  at: Date;
}

export interface ReportWords {
  language: Language;
  text: Text<MessageId>;
  sentenceOf: (sentence: Sentence) => string;
}

export const reportNameOf = ({ meta }: ReadFacts): string => `causeway-report-${meta.today}.html`;

/** Signs beside the words, independent of colour. */
const SIGNS: Readonly<Record<Severity, string>> = {
  BAD: '✕',
  WARNING: '▲',
  UNKNOWN: '?',
  NOT_MEASURED: '–',
  GOOD: '✓',
};

export function writeReport(reported: Reported, words: ReportWords): string {
  const { text } = words;
  const { facts, previous } = reported;
  const title = text('report.title', { day: facts.meta.today });
  return `<!doctype html>
<html lang="${words.language}">
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width">
<title>${escape(title)}</title>
<style>${STYLE}</style>
<header>
<h1>${escape(title)}</h1>
<p class="of">${escape(text('report.of'))}</p>
${headOf(reported, words)}
${tallyOf(reported, text)}
</header>
<main>
<h2>${escape(text('report.failures'))}</h2>
${failuresOf(facts, text)}
<h2>${escape(text('report.etfs'))}</h2>
${etfsOf(facts, reported.impacts, text)}
<h2>${escape(text('report.tenants'))}</h2>
${tenantsOf(facts, reported.impacts, text)}
<h2>${escape(text('verdicts.title'))}</h2>
${verdictsOf(reported, words)}
<h2>${escape(text('unseen.title'))}</h2>
${unseenOf(facts, text)}
<h2>${escape(text('report.rules'))}</h2>
${rulesOf(text)}
<h2>${escape(text('facts.title'))}</h2>
${AXIS_IDS.map((axis) => axisOf(axis, facts, text)).join('\n')}
<h2>${escape(text('report.raw'))}</h2>
<p>${escape(text('report.facts'))}</p>
${writeReportFacts({ facts, previous }, [text('report.json'), text('report.earlier')].map(escape))}
</main>
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

/** The most verdicts in full: of a flooded day a reader sees the worst, and the file can still be sent. */
const MOST_VERDICTS = 200;
/** The most of one group, so that none hides the others. */
const MOST_ALIKE = 20;

/** Grouped as on the screen: what it shows in one line stands together here, under its number. */
function verdictsOf(reported: Reported, words: ReportWords): string {
  const { text } = words;
  const told: string[] = [];
  let inFull = 0;
  for (const { first, members } of groupsOf(reported)) {
    const listed = members.slice(0, Math.min(MOST_ALIKE, MOST_VERDICTS - inFull));
    if (listed.length === 0) break;
    inFull += listed.length;
    if (members.length > 1)
      told.push(
        `<p class="alike">${badgeOf(first.verdict.severity, text)} ${escape(text('verdicts.group', { count: members.length }))}</p>`,
      );
    told.push(...listed.map(({ verdict }) => verdictOf(verdict, reported, words)));
    if (listed.length < members.length) told.push(moreOf(members.length - listed.length, text));
  }
  const more = reported.verdicts.length - inFull;
  if (more > 0) told.push(`<p class="note">${escape(text('report.moreVerdicts', { count: more }))}</p>`);
  return told.join('\n');
}

const groupsOf = ({ verdicts, facts }: Reported): VerdictGroup[] =>
  groupVerdicts(nameVerdicts(verdicts, facts.meta.today));

/** As the tiles of the screen count: equal verdicts are one line. */
function tallyOf(reported: Reported, text: Text<MessageId>): string {
  const groups = groupsOf(reported);
  const lines = SEVERITIES.map((severity) => {
    const count = groups.filter(({ first }) => first.verdict.severity === severity).length;
    return `<li>${badgeOf(severity, text)} ${count}</li>`;
  });
  const whole = text('verdicts.count', { total: reported.verdicts.length, lines: groups.length });
  return `<ul class="tally" aria-label="${escape(text('verdicts.tiles'))}">${lines.join('')}<li class="note">${escape(whole)}</li></ul>`;
}

const moreOf = (count: number, text: Text<MessageId>): string =>
  `<p class="note">${escape(text('verdict.facts.more', { count }))}</p>`;

function verdictOf(verdict: Verdict, { facts, previous }: Reported, { text, sentenceOf }: ReportWords): string {
  const rule = RULES.find(({ id }) => id === verdict.rule);
  const named = text('verdicts.rule', { rule: verdict.rule, version: verdict.version });
  const meaning = rule === undefined ? '' : ` · ${text('verdict.meaning', { meaning: text(rule.meaning) })}`;
  const more = verdict.facts.length - MOST_FACTS;
  const rows = verdict.facts.slice(0, MOST_FACTS).map((pointer) => {
    const { path, value, isEarlier, owner } = follow(pointer, facts, previous);
    const whose = isEarlier ? previous : facts;
    const isNow = whose !== null && !isToday(whose) && isOfNow([path]);
    const side = whose === null ? '' : isNow ? nowMark(text) : escape(whoseFacts(text, whose, isEarlier));
    const about = namedBy(path, owner.value, facts.meta.today);
    const place = placeWords(text, path);
    return [escape(about === null ? place : `${about.name} · ${place}`), valueOf(value, path, text), side];
  });
  return `<section>
<h3>${badgeOf(verdict.severity, text)} ${escape(sentenceOf(verdict.sentence))}${isOfNow(verdict.facts) ? ` ${nowMark(text)}` : ''}</h3>
<p>${escape(`${named}${meaning}`)}</p>
${tableOf([text('verdict.pointer'), text('verdict.value'), text('verdict.of')], rows)}${more > 0 ? moreOf(more, text) : ''}
</section>`;
}

/** The most rows of an axis in a table; the JSON holds all of them. */
const MOST_ROWS = 200;

function axisOf(axis: AxisId, facts: ReadFacts, text: Text<MessageId>): string {
  const rows = rowsOf(axis, facts);
  const head = `<h3>${escape(text(`facts.axis.${axis}`))}${isCurrent(axis) ? ` ${nowMark(text)}` : ''}</h3>`;
  const said = rows === undefined ? 'facts.axisAbsent' : rows === null ? 'facts.axisNull' : 'facts.noRows';
  if (rows === undefined || rows === null || rows.length === 0)
    return `${head}<p class="note">${escape(text(said))}</p>`;
  const fields = fieldsOf(axis);
  const table = tableOf(
    fields.map(({ name }) => text(`facts.field.${name}`)),
    rows
      .slice(0, MOST_ROWS)
      .map(({ at, cells }) => fields.map(({ name }) => valueOf(cells[name], `${at}/${name}`, text))),
  );
  const more = rows.length - MOST_ROWS;
  return `${head}${table}${more > 0 ? `<p class="note">${escape(text('report.moreRows', { count: more }))}</p>` : ''}`;
}

const rulesOf = (text: Text<MessageId>): string =>
  tableOf(
    [text('report.rule'), text('report.version'), text('report.meaning')],
    RULES.map(({ id, name, version, meaning }) => [
      `${escape(text(name))} ${code(id)}`,
      String(version),
      escape(text(meaning)),
    ]),
  );

function unseenOf(facts: ReadFacts, text: Text<MessageId>): string {
  const absent = absentFacts(facts);
  const unseen = unseenFacts(facts);
  if (absent.length + unseen.length === 0) return `<p>${escape(text('unseen.nothing'))}</p>`;
  const listOf = (meaning: string, pointers: readonly string[]): string =>
    pointers.length === 0
      ? ''
      : `<p>${escape(meaning)}</p><ul>${pointers.map((one) => `<li>${escape(placeWords(text, one))}</li>`).join('')}</ul>`;
  return listOf(text('unseen.absent'), absent) + listOf(text('unseen.null'), unseen);
}

const badgeOf = (severity: Severity, text: Text<MessageId>): string =>
  `<b class="${severity}"><span aria-hidden="true">${SIGNS[severity]}</span> ${escape(text(`severity.${severity}`))}</b>`;

function valueOf(value: unknown, path: string, text: Text<MessageId>): string {
  const { state, words } = factWords(text, value, kindOf(path));
  return `<span class="${state}">${escape(words)}</span>`;
}
