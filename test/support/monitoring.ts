/** For tests of alert rules and dashboards: their queries, and the metrics that these name. */
import { readFileSync } from 'node:fs';

/** The queries of an alert file and of a dashboard file. */
export function queriesIn(...files: string[]): string[] {
  return files.flatMap((file) => {
    const found: string[] = [];
    JSON.parse(readFileSync(file, 'utf8'), (name, value: unknown) => {
      if (name === 'expr' && typeof value === 'string') found.push(value);
      return value;
    });
    return found;
  });
}

/** The metrics that a query names, without a histogram's suffixes. */
export function metricsIn(query: string): string[] {
  return [...query.matchAll(/\b(?:causeway|process|nodejs)_[a-z0-9_]+/g)].map(([name]) =>
    name.replace(/_(?:bucket|sum|count)$/, ''),
  );
}

/** Prometheus' text as samples: name and labels, to value. */
export function samplesIn(text: string): Record<string, number> {
  const lines = text.split('\n').filter((line) => /^\w/.test(line));
  return Object.fromEntries(lines.map((line) => [line.replace(/ \S+$/, ''), Number(/\S+$/.exec(line)?.[0])]));
}
