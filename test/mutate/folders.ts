/** The folders whose tests are measured. */
export interface Folder {
  /** Tests that reach it through other code, the cheapest first: files or folders. Those in the folder come before. */
  tests: readonly string[];
  /** The share that must be killed. */
  target: number;
  /** How many of its mutants are tried. */
  sample?: number;
}

const LEDGER = ['agent/ledger/serving', 'agent/ledger/explanations', 'agent/intake/apply', 'agent/ledger/shown'];

export const FOLDERS: Readonly<Record<string, Folder>> = {
  'shared/policy': {
    tests: ['test/contract/console/policy-table.test.ts'],
    target: 0.9,
  },
  'agent/screening': { tests: [], target: 0.9 },
  // The whole folder takes hours: the letters by themselves, with the tests that are nearest to them.
  'agent/screening/letters': {
    tests: [
      'agent/screening/matcher.test.ts',
      'agent/screening/word-search.test.ts',
      'agent/screening/findings.test.ts',
    ],
    target: 0.9,
  },
  'agent/ledger/policy': {
    tests: ['electron/console-api/policy', 'electron/console-api/review/four-eyes.test.ts'],
    target: 0.9,
  },
  'agent/ledger/serving': {
    tests: [...LEDGER, 'electron/console-api/serving', 'electron/console-api/explanations/visibility.test.ts'],
    target: 0.9,
  },
  'agent/ledger/explanations': {
    tests: [...LEDGER, 'electron/console-api/explanations', 'electron/console-api/review/statistics.test.ts'],
    target: 0.9,
  },
  'agent/intake/apply': { tests: ['agent/intake/receive', 'agent/intake/maintenance'], target: 0.8, sample: 200 },
  'cloud/publication': { tests: ['cloud/sync', 'cloud/commands'], target: 0.8, sample: 200 },
  'cloud/facts': { tests: ['test/contract/facts', 'cloud/pipeline', 'cloud/demo'], target: 0.8, sample: 200 },
  'electron/console-api/http': {
    tests: ['electron/console-api/auth', 'electron/console-api/context'],
    target: 0.8,
    sample: 200,
  },
};
