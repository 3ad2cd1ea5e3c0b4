/** The HTML of a report: escaped words, tables, and the look of a page on a screen and on paper. */

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
};
export const escape = (words: string): string => words.replaceAll(/[&<>"]/g, (sign) => ENTITIES[sign] ?? '');

export const code = (words: string): string => `<code>${escape(words)}</code>`;

/** The first cell of a row names its subject. Cells are HTML, heads are plain text. */
export function tableOf(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const head =
    heads.length === 0
      ? ''
      : `<thead><tr>${heads.map((one) => `<th scope="col">${escape(one)}</th>`).join('')}</tr></thead>`;
  const body = rows.map(
    ([name = '', ...cells]) =>
      `<tr><th scope="row">${name}</th>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`,
  );
  return `<div class="wide"><table>${head}<tbody>${body.join('\n')}</tbody></table></div>`;
}

/** For screens and for paper: on paper the tables keep their heads, no row is cut in two, and the raw facts stay away. */
export const STYLE = `
:root { color-scheme: light; --ink: #1b2430; --muted: #53606f; --line: #cfd6de; --head: #1f4a7d; font: 14px/1.55 'Noto Sans KR', system-ui, sans-serif; }
* { box-sizing: border-box; }
body { max-width: 64rem; margin: 0 auto; padding: 1.6rem 1.4rem 3rem; background: #fff; color: var(--ink); overflow-wrap: break-word; word-break: keep-all; }
header { padding-bottom: .9rem; border-bottom: 3px solid var(--head); }
h1 { margin: 0 0 .2rem; font-size: 1.6rem; line-height: 1.25; }
.of { margin: 0 0 .8rem; color: var(--muted); }
h2 { margin: 2rem 0 .5rem; padding-bottom: .2rem; border-bottom: 1px solid var(--line); color: var(--head); font-size: 1.15rem; break-after: avoid; }
h3 { margin: 1rem 0 .1rem; font-size: 1rem; break-after: avoid; }
p { margin: .2rem 0 .4rem; }
.note { color: var(--muted); }
.wide { overflow-x: auto; }
table { width: 100%; border-collapse: collapse; font-size: .93em; }
thead { display: table-header-group; }
th, td { padding: .22rem .7rem .22rem 0; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; font-weight: normal; }
thead th { color: var(--muted); }
pre, a, code, .said { overflow-wrap: anywhere; }
:is(th, td):has(> code) { min-width: 7rem; }
.said { white-space: pre-line; }
tr { break-inside: avoid; }
code { font-size: .93em; }
.tally { display: flex; flex-wrap: wrap; gap: .4rem 1rem; margin: .9rem 0 0; padding: 0; list-style: none; }
section { margin: .6rem 0 1rem; padding-left: .8rem; border-left: 4px solid var(--line); break-inside: avoid; }
section:has(.BAD) { border-left-color: #b3261e; }
section:has(.WARNING) { border-left-color: #b7791f; }
section:has(.GOOD) { border-left-color: #1e7a43; }
section > p { color: var(--muted); }
.alike { margin: 1.4rem 0 .2rem; break-after: avoid; }
b, .now { display: inline-block; padding: 0 .45em; border: 1px solid; border-radius: 3px; font-weight: 600; white-space: nowrap; }
.BAD { border-style: double; border-width: 3px; color: #8f1d17; }
.WARNING { color: #7a4e07; }
.GOOD { color: #14582f; }
.UNKNOWN, .null { border-style: dashed; }
.NOT_MEASURED, .absent { border-style: dotted; }
.now { border-style: dashed; color: var(--muted); font-size: .85em; font-weight: normal; }
.zero, .null, .absent { padding: 0 .4em; border-width: 1px; }
.zero { border: 1px solid; }
pre { overflow: auto; max-height: 30rem; white-space: pre-wrap; }
summary { padding: .25rem 0; }
a { color: #17457a; }
@page { size: A4; margin: 15mm 13mm; }
@media print {
  body { max-width: none; padding: 0; font-size: 11px; }
  .wide { overflow: visible; }
  th, td { overflow-wrap: anywhere; }
  table { font-size: .88em; }
  details { display: none; }
  a { color: inherit; }
}
`;
