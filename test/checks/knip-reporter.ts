/**
 * knip's findings as JSON, together with how many files it read, which its own reporters keep to
 * themselves: without that number, nothing found and nothing read look the same.
 */
import path from 'node:path';
import type { ReporterOptions } from 'knip';

export interface KnipReport {
  processed: number;
  problems: string[];
}

/** knip's kinds are plain nouns: these sentences add the fault. */
const MEANING: Record<string, string> = {
  files: 'no program or test reaches this file',
  dependencies: 'nothing uses this package',
  devDependencies: 'nothing uses this package',
  unlisted: 'package.json does not name this package',
  unresolved: 'this cannot be found',
  exports: 'nothing uses this export',
  types: 'nothing uses this type',
};

export default function report({ report: enabled, issues, counters, cwd }: ReporterOptions): void {
  const problems: string[] = [];
  for (const [kind, on] of Object.entries(enabled) as [keyof typeof enabled, boolean][]) {
    if (!on) continue;
    for (const byFile of Object.values(issues[kind])) {
      for (const issue of Object.values(byFile))
        problems.push(`${path.relative(cwd, issue.filePath)}: ${MEANING[kind] ?? kind}: ${issue.symbol}`);
    }
  }
  const result: KnipReport = { processed: counters.processed, problems };
  process.stdout.write(JSON.stringify(result));
}
