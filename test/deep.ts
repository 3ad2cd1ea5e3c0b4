/** What `npm run test:deep` runs beside `npm test`. */

/** Set to 1 by `npm run test:deep`. */
export const DEEP = 'CAUSEWAY_TEST_DEEP';
export const isDeep = process.env[DEEP] === '1';

export interface DeepFile {
  /** Whether the whole file is deep; otherwise its `deepTest`s, and `npm test` runs the rest. */
  whole: boolean;
  /** Whether it measures time or memory, so that nothing may run beside it. */
  isAlone?: boolean;
  /** Tests of `npm test` that break on the same ordinary faults: a file and the name of a test in it. */
  standIns: (readonly [file: string, test: string])[];
}

/** Whole files and single tests. A count that `runs` makes small is not listed: the small count stands in for the full one. */
export const DEEP_FILES: Readonly<Record<string, DeepFile>> = {
  // The embedded store's half of what runs on both.
  'cloud/testing/store.ts': {
    whole: false,
    standIns: [
      ['cloud/publication/publication.test.ts', 'publication on %s'],
      ['cloud/sync/bundle.test.ts', 'the bundle on %s'],
      ['cloud/store/constraints.test.ts', 'constraints of the database, on %s'],
    ],
  },
  // Builds of packages, and what is packed in them.
  'electron/packaging/build/cloud-package.test.ts': {
    whole: true,
    standIns: [
      [
        'electron/packaging/build/services-package.test.ts',
        'its command line runs on its own Node and knows no other part',
      ],
      ['cloud/service/container.test.ts', 'the cloud knows each variable of the container, and their values fit'],
    ],
  },
  'electron/packaging/build/code-cache.test.ts': {
    whole: true,
    standIns: [['electron/packaging/build/services-package.test.ts', 'its relay runs']],
  },
  'electron/packaging/release.test.ts': {
    whole: false,
    standIns: [
      ['shared/service/verify-package.test.ts', 'a package of the vendor: each finished check is reported'],
      [
        'electron/packaging/build/services-package.test.ts',
        'its command line runs on its own Node and knows no other part',
      ],
    ],
  },
  'test/chaos/chaos.test.ts': {
    whole: true,
    isAlone: true,
    standIns: [
      [
        'test/faults/cloud/fan-out.test.ts',
        'each tenant gets, in commit order and without a hole, all publications of its time and their withdrawals',
      ],
      ['electron/console-api/explanations/visibility.test.ts', '%s'],
      [
        'test/contract/console/two-processes.test.ts',
        'two reviewers at two processes decide at the same moment, again and again: one wins each time',
      ],
      ['test/faults/machine/journal.test.ts', 'after a cut at any moment every answered decision is there'],
      ['test/faults/simulator/simulator.test.ts', 'no promise is broken, whatever fails and wherever the process ends'],
    ],
    ],
  },
  'test/e2e/console/layout/sweep.test.ts': {
    whole: true,
    standIns: [['test/e2e/console/layout/access.test.ts', '$name in $language, $scheme']],
  },
  'test/e2e/console/policy.test.ts': {
    whole: false,
    standIns: [['test/e2e/console/layout/access.test.ts', '$name in $language, $scheme']],
  },
  'test/e2e/console/shown.test.ts': {
    whole: false,
    standIns: [
      [
        'test/e2e/console/shown.test.ts',
        'a day by link: the last state, and each change before it by key with its text and cause',
      ],
    ],
  },
  'test/e2e/operator/failures.test.ts': {
    whole: false,
    standIns: [['test/e2e/operator/failures.test.ts', '%s: nothing that axe finds, nothing beyond a telephone']],
  },
};
