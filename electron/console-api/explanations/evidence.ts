/** Evidence under its console names (sync protocol 2.9). */
import type { Evidence } from '../../../shared/wire/bundle.ts';
import type { ConsoleEvidence } from '../../../shared/wire/console/console.ts';

/** A field that an older copy lacks stays absent: identifiers are never guessed. */
export function consoleEvidence(evidence: Evidence): ConsoleEvidence {
  switch (evidence.kind) {
    case 'NEWS':
    case 'DISCLOSURE':
      return {
        kind: evidence.kind,
        title: evidence.title,
        source: evidence.source,
        published_at: evidence.published_at,
        ...(evidence.source_uri === undefined ? {} : { source_uri: evidence.source_uri }),
        ...(evidence.news_id === undefined ? {} : { newsId: evidence.news_id }),
        ...(evidence.tool_run_id === undefined ? {} : { toolRunId: evidence.tool_run_id }),
        ...(evidence.item_ids === undefined ? {} : { itemIds: evidence.item_ids }),
      };
    case 'CALCULATION':
      return {
        kind: evidence.kind,
        title: evidence.title,
        source: evidence.source,
        published_at: evidence.published_at,
        toolRunId: evidence.tool_run_id,
        itemIds: evidence.item_ids,
        asOf: evidence.as_of,
        arguments: evidence.arguments,
        output: evidence.output,
        formulaLatex: evidence.formula_latex,
        description: evidence.description,
      };
  }
}
