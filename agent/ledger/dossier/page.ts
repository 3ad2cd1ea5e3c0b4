/**
 * The page of a dossier for people, in Korean and English: a self-contained HTML without scripts, which the desktop
 * program prints as PDF. It is bounded to six printed pages; what is left out is counted, and stands in the JSON files.
 */
import { kstDateTime } from '../../../shared/time/kst.ts';
import { actionInWords } from '../../../shared/wire/console/audit-words.ts';
import type { RecordedHit } from '../../screening/recorded.ts';
import { messageOf } from '../../screening/sentences.ts';
import { byChannel } from '../serving/served.ts';
import type { DismissedHitTable } from '../storage/review-tables.ts';
import type { Collected } from './collected.ts';
import type { DossierExplanation, Manifest } from './contents.ts';
import { checksIn } from './screenings.ts';
import {
  actor,
  both,
  causeInWords,
  CUT,
  HEADINGS,
  HOW,
  MORE,
  NONE,
  reason,
  requestsInWords,
  stateInWords,
} from './page-words.ts';

const STYLE = `@page{size:A4;margin:14mm}
body,:host{font:9pt/1.35 'Noto Sans KR','Noto Sans CJK KR','Malgun Gothic','Apple SD Gothic Neo',sans-serif;color:#000;background:#fff}
h1{font-size:15pt;margin:0 0 4pt}h2{font-size:11pt;margin:9pt 0 3pt;border-bottom:1px solid #000}h3{font-size:9.5pt;margin:6pt 0 2pt}h1,h2,h3{break-after:avoid}
table{border-collapse:collapse;width:100%;table-layout:fixed}th,td{border:1px solid #777;padding:1.5pt 4pt;text-align:left;vertical-align:top;overflow-wrap:anywhere}
th{background:#eee;font-weight:600}p{margin:2pt 0;overflow-wrap:anywhere}blockquote{margin:2pt 0;padding:2pt 6pt;border-left:3px solid #555;overflow-wrap:anywhere}
tr,blockquote{break-inside:avoid}mark{background:none;color:inherit;font-weight:600;border-bottom:2px solid #000}`;

/** The most printed lines of each list, and the most texts and explanations: six pages have some 370 lines. */
const MOST = {
  spans: 56,
  texts: 3,
  explanations: 2,
  history: 26,
  screenings: 12,
  dismissed: 8,
  served: 20,
  bundles: 8,
  rows: 32,
};
/** The most characters of a text, of a line beside it, and of a cell. */
const LONGEST = { text: 450, line: 140, cell: 150 };
/** Korean characters of a printed line. */
const WIDTH = 54;

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
const escaped = (text: string): string => text.replaceAll(/[&<>"']/g, (sign) => ESCAPES[sign] ?? '');
const clipped = (text: string, most: number = LONGEST.line): string =>
  text.length > most ? `${text.slice(0, most)}…` : text;
/** @param marks places of found words, in any order */
function quoted(text: string, marks: readonly Place[] = []): string {
  const shown = clipped(text, LONGEST.text);
  const cut = text.length > LONGEST.text ? ` <i>(${escaped(both(CUT))})</i>` : '';
  let told = '';
  let at = 0;
  for (const { start, end } of marks.toSorted((one, other) => one.start - other.start)) {
    const from = Math.max(start, at);
    const to = Math.min(end, shown.length);
    if (to <= from) continue;
    told += `${escaped(shown.slice(at, from))}<mark>${escaped(shown.slice(from, to))}</mark>`;
    at = to;
  }
  return `<blockquote>${told}${escaped(shown.slice(at))}${cut}</blockquote>`;
}

type Place = Pick<RecordedHit, 'start' | 'end'>;
const flat = (text: string): string => text.replaceAll(/\s+/g, ' ');
const kst = (at: string): string => kstDateTime(new Date(at));

type Heading = keyof typeof HEADINGS;

const heading = (name: Heading, level = 2): string => `<h${level}>${escaped(both(HEADINGS[name]))}</h${level}>`;

/** @param most printed lines; the rows beyond are counted */
function table(heads: readonly Heading[], rows: readonly (readonly string[])[], most: number): string {
  if (rows.length === 0) return `<p>${escaped(both(NONE))}</p>`;
  const head = heads.map((name) => `<th>${escaped(both(HEADINGS[name]))}</th>`).join('');
  const width = Math.floor(WIDTH / heads.length) - 1;
  const printed: string[] = [];
  let lines = 0;
  for (const cells of rows) {
    const told = cells.map((cell) => clipped(flat(cell), LONGEST.cell));
    lines += Math.max(...told.map((cell) => Math.ceil(Math.max(1, cell.length) / width))) + 0.3;
    if (lines > most && printed.length > 0) break;
    printed.push(`<tr>${told.map((cell) => `<td>${escaped(cell)}</td>`).join('')}</tr>`);
  }
  const left = rows.length - printed.length;
  const body = printed.join('\n');
  return `<table><thead><tr>${head}</tr></thead><tbody>${body}</tbody></table>${left > 0 ? `<p>${escaped(MORE(left))}</p>` : ''}`;
}

const acts = (action: string): string => both([actionInWords(action, 'ko'), actionInWords(action, 'en')]);

export function dossierPage(collected: Collected, { madeAt, madeBy }: Pick<Manifest, 'madeAt' | 'madeBy'>): string {
  const { subject, record, rows } = collected;
  const of =
    subject.kind === 'SPAN'
      ? `${subject.ticker}, ${kst(subject.from)} – ${kst(subject.to)}`
      : `${subject.ticker}, ${subject.id}`;
  // Beside the subject of one explanation stand those that were shown on its days: their texts are on the page already.
  const printed = subject.kind === 'EXPLANATION' ? 1 : MOST.explanations;
  const parts = [
    `<h1>Causeway ${escaped(both(HEADINGS.title))}</h1>`,
    table(['subject', 'madeAt', 'madeBy'], [[of, kst(madeAt), madeBy]], 1),
    shownPart(collected),
    ...record.explanations.slice(0, printed).map((each) => explanationPart(each)),
    ...(record.explanations.length > printed ? [`<p>${escaped(MORE(record.explanations.length - printed))}</p>`] : []),
    heading('bundles'),
    table(
      ['cursors', 'receivedAt', 'statement'],
      record.bundles.map((each) => [
        `${each.cursorFrom}–${each.cursorTo}`,
        kst(each.receivedAt),
        each.statement === null ? both(NONE) : 'Ed25519',
      ]),
      MOST.bundles,
    ),
    heading('rows'),
    table(
      ['row', 'time', 'act', 'actor'],
      rows.map((row) => [`${row.seq} · ${row.hash.slice(0, 16)}`, kst(row.at), acts(row.action), actor(row.actor)]),
      MOST.rows,
    ),
    heading('check'),
    `<p>${escaped(HOW)}</p>`,
  ];
  return `<!doctype html>
<html lang="ko"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>Causeway ${escaped(both(HEADINGS.title))} ${escaped(of)}</title><style>${STYLE}</style></head>
<body>
${parts.join('\n')}
</body></html>
`;
}

function shownPart({ shown }: Collected): string {
  const spans = shown.flatMap((each) => each.spans);
  const texts = new Map(
    spans.flatMap(({ showing }) =>
      showing.state === 'GIVEN' ? [[`${showing.id} ${showing.text} ${showing.disclaimer}`, showing] as const] : [],
    ),
  );
  const exposed = [...texts.values()]
    .slice(0, MOST.texts)
    .map(
      (showing) =>
        `${quoted(showing.text)}<p>${escaped(both(HEADINGS.disclaimer))}: ${escaped(
          showing.disclaimer === null ? both(NONE) : clipped(showing.disclaimer),
        )}</p><p>${escaped(acts(`explanation.${showing.move}`))} · ${escaped(actor(showing.actor))} · ${kst(showing.since)}${
          showing.authors.length === 0
            ? ''
            : ` · ${escaped(both(HEADINGS.authors))}: ${escaped(clipped(showing.authors.join(', ')))}`
        }${showing.approvalNumber === null ? '' : ` · ${escaped(both(HEADINGS.approval))}: ${escaped(showing.approvalNumber)}`}</p>`,
    );
  const left = texts.size - exposed.length;
  return [
    heading('shown'),
    table(
      ['from', 'state', 'served', 'cause'],
      spans.map(({ from, showing, requests, causes }) => [
        kst(from),
        stateInWords(showing),
        requestsInWords(requests),
        causes.map((cause) => causeInWords(cause, (move) => acts(`explanation.${move}`))).join('; '),
      ]),
      MOST.spans,
    ),
    heading('texts', 3),
    ...(exposed.length === 0 ? [`<p>${escaped(both(NONE))}</p>`] : exposed),
    ...(left > 0 ? [`<p>${escaped(MORE(left))}</p>`] : []),
  ].join('\n');
}

function explanationPart({ id, fields, history, screenings, review, served }: DossierExplanation): string {
  const dismissed = (review['dismissed_hit'] ?? []) as unknown as DismissedHitTable[];
  const words = new Map(hitsOf(screenings).map(({ wordId, word }) => [wordId, word]));
  return [
    `<h2>${escaped(both(HEADINGS.explanation))} ${escaped(id)}</h2>`,
    `<p>${escaped(fields.etf_ticker)} ${escaped(clipped(fields.etf_name))} · ${escaped(fields.trade_date)} · ${kst(fields.explanation_as_of)} · ${escaped(clipped(fields.explanation_result_id))}</p>`,
    heading('vendorText', 3),
    quoted(fields.summary, placesIn(fields.summary, screenings)),
    heading('history', 3),
    table(
      ['time', 'act', 'actor', 'approval', 'reason'],
      history.map((row) => [
        kst(row.at),
        acts(`explanation.${row.move}`),
        actor(row.actor),
        [row.approval_number ?? '', row.valid_until === null ? '' : `– ${kst(row.valid_until)}`].join(' ').trim(),
        reason(row.reason ?? ''),
      ]),
      MOST.history,
    ),
    heading('screening', 3),
    table(
      ['time', 'policy', 'matcher', 'checks'],
      screenings.map((row) => [
        kst(row.at),
        row.policy_version === null ? both(NONE) : `v${row.policy_version}`,
        row.matcher_version,
        notPassed(row.checks),
      ]),
      MOST.screenings,
    ),
    ...(dismissed.length === 0
      ? []
      : [
          heading('dismissed', 3),
          table(
            ['time', 'word', 'actor', 'reason'],
            dismissed.map((row) => [kst(row.at), words.get(row.word_id) ?? row.word_id, row.author, row.reason]),
            MOST.dismissed,
          ),
        ]),
    heading('served', 3),
    table(
      ['channel', 'times', 'first', 'last'],
      byChannel(served).map((row) => [row.channel, String(row.times), kst(row.firstAt), kst(row.lastAt)]),
      MOST.served,
    ),
  ].join('\n');
}

type Screenings = DossierExplanation['screenings'];

/** A verified file may be anybody's: what cannot be read is left out. */
const hitsOf = (screenings: Screenings): RecordedHit[] =>
  screenings.flatMap(({ checks }) => checksIn(checks)?.flatMap(({ hits }) => hits) ?? []);

/** Where the last screening found words, where it was of this text. */
function placesIn(text: string, screenings: Screenings): Place[] {
  const found = hitsOf(screenings.slice(-1));
  return found.every(({ start, end, matched }) => text.slice(start, end) === matched) ? found : [];
}

function notPassed(checks: string): string {
  const found = (checksIn(checks) ?? [])
    .filter(({ verdict }) => verdict !== 'PASS')
    .map((one) => `${one.check}: ${messageOf(one)}`);
  return found.length === 0 ? both(NONE) : found.join('; ');
}
