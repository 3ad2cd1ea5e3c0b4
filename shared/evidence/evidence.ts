/**
 * Evidence as the screens show it. The bundle and the review detail use snake_case, the explanation query camelCase
 * (sync protocol 2.9); both are mapped to this form.
 */
import type { Evidence } from '../wire/bundle.ts';
import type { ConsoleEvidence } from '../wire/console/console.ts';

export interface DocumentView {
  form: 'document';
  kind: 'NEWS' | 'DISCLOSURE';
  title: string | null;
  source: string;
  publishedAt: string | null;
  /** An http or https address only; other addresses are no link. */
  link: string | null;
  newsId: string | null;
  toolRunId: string | null;
  itemIds: readonly string[];
}

export interface CalculationView {
  form: 'calculation';
  title: string;
  source: string;
  asOf: string | null;
  toolRunId: string | null;
  itemIds: readonly string[];
  arguments: Readonly<Record<string, unknown>>;
  output: Readonly<Record<string, unknown>>;
  formulaLatex: string | null;
  description: string;
}

export type EvidenceView = DocumentView | CalculationView;

export function fromStored(evidence: Evidence): EvidenceView {
  if (evidence.kind === 'CALCULATION') {
    return {
      form: 'calculation',
      title: evidence.title,
      source: evidence.source,
      asOf: evidence.as_of,
      toolRunId: evidence.tool_run_id,
      itemIds: evidence.item_ids,
      arguments: evidence.arguments,
      output: evidence.output,
      formulaLatex: evidence.formula_latex,
      description: evidence.description,
    };
  }
  return {
    form: 'document',
    kind: evidence.kind,
    title: evidence.title,
    source: evidence.source,
    publishedAt: evidence.published_at,
    link: webLink(evidence.source_uri),
    newsId: evidence.news_id ?? null,
    toolRunId: evidence.tool_run_id ?? null,
    itemIds: evidence.item_ids ?? [],
  };
}

export function fromConsole(evidence: ConsoleEvidence): EvidenceView {
  if (evidence.kind === 'CALCULATION') {
    return {
      form: 'calculation',
      title: evidence.title ?? '',
      source: evidence.source,
      asOf: evidence.asOf ?? null,
      toolRunId: evidence.toolRunId ?? null,
      itemIds: evidence.itemIds ?? [],
      arguments: evidence.arguments ?? {},
      output: evidence.output ?? {},
      formulaLatex: evidence.formulaLatex ?? null,
      description: evidence.description ?? '',
    };
  }
  return {
    form: 'document',
    kind: evidence.kind,
    title: evidence.title,
    source: evidence.source,
    publishedAt: evidence.published_at,
    link: webLink(evidence.source_uri),
    newsId: evidence.newsId ?? null,
    toolRunId: evidence.toolRunId ?? null,
    itemIds: evidence.itemIds ?? [],
  };
}

/** The address of an original, if a browser may open it. */
export function webLink(uri: string | null | undefined): string | null {
  if (uri === null || uri === undefined || !URL.canParse(uri)) return null;
  const url = new URL(uri);
  return url.protocol === 'https:' || url.protocol === 'http:' ? url.href : null;
}

/** The host of a link that is written as if it led to another one, as `news.example@other.example`; else null. */
export function hiddenHost(link: string): string | null {
  const { username, password, host } = new URL(link);
  return username === '' && password === '' ? null : host;
}
