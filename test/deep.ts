/** What `npm run test:deep` runs beside `npm test`. */

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
  'test/support/cloud/store.ts': {
    whole: false,
    standIns: [
      ['cloud/publication/publication.test.ts', 'publication on %s'],
      ['cloud/sync/bundle.test.ts', 'the bundle on %s'],
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
      ['cloud/operations/container.test.ts', 'the cloud knows each variable of the container, and their values fit'],
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
  'test/contract/papers/openapi.test.ts': {
    whole: false,
    standIns: [
      [
        'electron/console-api/http/openapi.test.ts',
        'names every parameter of a path, and the required fields of a body',
      ],
      ['test/contract/papers/openapi.test.ts', 'the client of the tenant console API signs in and decides'],
    ],
  },
  // Stops and kills in a real process, whose every step has a test in this one.
  'agent/intake/long-commands.test.ts': {
    whole: false,
    standIns: [
      ['agent/intake/long-commands.test.ts', 'verify says how far it is, stops with a sentence, and goes on'],
      ['agent/intake/backup/stopping.test.ts', 'a backup that was stopped leaves nothing'],
      ['agent/intake/backup/stopping.test.ts', 'a restore that was stopped leaves the ledger that was there'],
      [
        'agent/intake/backup/stopping.test.ts',
        'a rebuild leaves whole rows at every stop, and the next one corrects the rest',
      ],
    ],
  },
  // Installations that npm itself repeats.
  'electron/setup/setup.test.ts': {
    whole: false,
    standIns: [
      [
        'electron/setup/setup.test.ts',
        'installs once, then runs the program on the pinned Node with its arguments and exit code',
      ],
      ['electron/setup/setup.test.ts', 'an optional package that refuses the machine’s own Node is still installed'],
    ],
  },
  // A week of two lives, which are compared row by row.
  'electron/start/past/past.test.ts': {
    whole: false,
    standIns: [
      ['electron/start/past/seeded.test.ts', 'a past has its moments and its chances from its seed alone'],
      ['cloud/demo/generation/generate.test.ts', 'the same seed gives the same story'],
    ],
  },
  // Processes between which a rule goes that has tests on either side.
  'test/faults/network/relay-responses.test.ts': {
    whole: true,
    standIns: [
      ['agent/relay/relay.test.ts', 'in chunks after %i bytes is never whole'],
      ['agent/relay/relay.test.ts', 'because the relay dies is never whole'],
      [
        'agent/relay/relay.test.ts',
        'with more bytes than announced ends at the announced length and spoils nothing after it',
      ],
      ['agent/relay/relay.test.ts', 'a slow drip hits the time of the body, though it never pauses for long'],
      [
        'test/faults/network/broken-responses.test.ts',
        'where the end of the line is the end of the answer, half of a JSON text is a violation (D33)',
      ],
    ],
  },
  'test/faults/cloud/waiting-failover.test.ts': {
    whole: true,
    standIns: [
      [
        'cloud/sync/waiting.test.ts',
        'a lost notification costs the time until the next look, and a lost connection none',
      ],
      [
        'test/faults/cloud/failover.test.ts',
        'pulls and publications go on at the standby; nothing is lost, doubled or out of order',
      ],
    ],
  },
  'test/faults/cloud/replica.test.ts': {
    whole: true,
    standIns: [
      [
        'cloud/sync/replica-bundles.test.ts',
        'a silent replica is left alone for five seconds, and used again when it answers',
      ],
      ['cloud/sync/replica-bundles.test.ts', 'a replica that has been promoted is passed over'],
    ],
  },
  'test/contract/console/shown-week.test.ts': {
    whole: true,
    standIns: [
      [
        'agent/ledger/shown/shown-at.test.ts',
        'afterwards it tells of every moment what the rule gave then, and the band of a day the same with every request',
      ],
      [
        'electron/console-api/serving/shown.test.ts',
        'a day is one band: each change with its cause, the text and disclaimer, and the requests of each span',
      ],
    ],
  },
  // Thousands of entries behind a reader.
  'test/faults/machine/disk.test.ts': {
    whole: false,
    standIns: [
      [
        'agent/ledger/storage/ledger.test.ts',
        'commits are synced and the log is written back soon, unless a part that only counts leaves both (D164)',
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
  },
  // A build of an earlier commit, beside the parts of this one.
  'test/contract/delivery/before-waiting.test.ts': {
    whole: true,
    standIns: [
      ['agent/intake/receive/waits.test.ts', 'by the period without waits, as a cloud asks that does not know them'],
      [
        'agent/relay/waiting.test.ts',
        'of the caller’s headers the seconds and how far it has applied pass alone, and of the cloud’s preference `wait=N` alone',
      ],
      [
        'cloud/sync/waiting.test.ts',
        'an answer without news comes after the seconds, as of that moment; without the header at once',
      ],
    ],
  },
  'test/contract/operations/dev.test.ts': {
    whole: false,
    standIns: [
      [
        'test/contract/operations/dev.test.ts',
        'the pages come from Vite, and their calls reach the API as if from its own pages',
      ],
      [
        'test/contract/operations/dev.test.ts',
        'a part restarts when a file that it imports changes, and ends with its supervisor',
      ],
      ['test/e2e/program/story.test.ts', 'Ctrl-C ends every process'],
    ],
  },
  'test/contract/operations/rotation.test.ts': {
    whole: true,
    standIns: [
      ['cloud/pki/key-rotation.test.ts', 'make, next, switch, retire'],
      [
        'cloud/pki/tls-files.test.ts',
        'a new client authority beside the old one admits the tenants of both; alone it admits only its own',
      ],
      ['agent/intake/receive/statement.test.ts', 'while the next key takes over, the statement of either fits'],
      [
        'agent/relay/start-stop.test.ts',
        'are used from the next pull on in the middle of a backlog, too, however often they are replaced',
      ],
      [
        'shared/service/tls/server-tls.test.ts',
        'a renewed pair serves from the next handshake on; an invalid pair leaves the earlier one in use',
      ],
    ],
  },
  'test/e2e/console/layout/access.test.ts': {
    whole: false,
    standIns: [['test/e2e/console/layout/access.test.ts', '$name in $language, $scheme']],
  },
  'test/e2e/console/layout/mouse.test.ts': {
    whole: false,
    standIns: [['test/e2e/console/review/hand.test.ts', 'on %s: the form is open, and nothing is sent']],
  },
  'test/e2e/console/layout/sweep.test.ts': {
    whole: true,
    standIns: [
      ['test/e2e/console/layout/access.test.ts', '$name in $language, $scheme'],
      ['shared/ui/theme/tokens.test.ts', 'in the %s scheme every text stands out from its ground'],
    ],
  },
  'test/e2e/console/review/thirty-by-keys.test.ts': {
    whole: true,
    standIns: [
      [
        'test/e2e/console/review/keys.test.ts',
        'the first key after a decision opens a form; a ticker keeps its place, then comes the oldest',
      ],
    ],
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
  // What the browser shows of the same pages.
  'test/e2e/program/console-keyboard.test.ts': {
    whole: false,
    standIns: [
      ['test/e2e/console/review/ime.test.ts', '%s: no key sends or closes it while a syllable is composed'],
      ['test/e2e/console/presence.test.ts', 'every viewer is shown to all others, in the list and in the head'],
      [
        'test/e2e/console/review/authors.test.ts',
        "the user's own decision in another window is distinguished from a colleague's, and the text can be kept",
      ],
      [
        'test/e2e/console/review/authors.test.ts',
        "a colleague's draft names its author; sent by another reviewer it keeps its author, who cannot give the second approval",
      ],
      ['test/e2e/console/review/hand.test.ts', 'and restores the standard ones, or turns them off'],
      [
        'test/e2e/console/review/queue.test.ts',
        'after an undo the item is open, at its place in the queue and with its waiting time',
      ],
      [
        'test/e2e/console/review/opinions.test.ts',
        'a second opinion has no preselection, and cannot be sent without a choice',
      ],
      [
        'test/e2e/console/review/bulk.test.ts',
        'only ticked items are rejected: named in the dialog, and confirmed with their number',
      ],
      [
        'test/e2e/console/outage.test.ts',
        'an unanswered read ends, says so, and continues by itself once there are answers',
      ],
    ],
  },
  'test/e2e/console/windows.test.ts': {
    whole: false,
    standIns: [
      ['renderer/api/shared-stream.test.ts', 'several windows share one stream'],
      ['renderer/api/shared-stream.test.ts', 'when the window with the stream closes, the next one opens a stream'],
      [
        'test/e2e/console/windows.test.ts',
        'a case window is its review, with hits and keys, under its own title and without the navigation',
      ],
    ],
  },
  'test/e2e/program/application.test.ts': {
    whole: false,
    standIns: [
      ['electron/main/windows/window-state.test.ts', 'a stored state is read back, and invalid content is not'],
      [
        'test/e2e/program/program.test.ts',
        'is started on its ledger, shown, restarted when it dies, and ended with the program',
      ],
      [
        'test/e2e/console/outage.test.ts',
        'an unsent decision says so, keeps its text, and is sent when the connection is back',
      ],
    ],
  },
  'test/e2e/program/program.test.ts': {
    whole: false,
    standIns: [
      [
        'test/e2e/program/program.test.ts',
        'it says why in both languages, with the age of the last good answer and of the queue, and recovers by itself',
      ],
      ['electron/main/connection/connection.test.ts', 'a person can retry at once'],
      ['electron/main/connection/connection.test.ts', 'an answer from something other than a console is distinguished'],
      ['test/e2e/program/application.test.ts', 'a crashed page is opened again at its address'],
      [
        'test/e2e/program/application.test.ts',
        'opens its item in the running program, whose window comes to the front; to any other place it is refused',
      ],
      [
        'test/e2e/program/application.test.ts',
        'opens at its last position, with the background of the colours chosen in the console',
      ],
      ['electron/main/services/local-service.test.ts', 'reports the fault of its ledger by its exit code'],
      [
        'electron/console-api/main.test.ts',
        'a newer ledger, one of a version that no release has, a file that is no ledger, and a missing folder: each has its own exit code',
      ],
      ['electron/packaging/console.test.ts', 'a wrong variable: its sentence and code 2'],
      ['electron/main/settings/configuration.test.ts', 'the help names every variable'],
    ],
  },
  'test/e2e/program/setup.test.ts': {
    whole: false,
    standIns: [
      [
        'test/e2e/program/updates.test.ts',
        'off until a feed is configured; then from it only, and only a signed release',
      ],
      ['electron/main/boot/seal.test.ts', 'only the kept seal is known, until it is dropped'],
      [
        'test/e2e/program/setup.test.ts',
        'one changed byte beside the program: nothing is started, and a screen names the file',
      ],
    ],
  },
  'test/e2e/program/updates.test.ts': {
    whole: false,
    standIns: [
      [
        'electron/main/updates/release-feed.test.ts',
        'rollback: a release older than the newest seen one is refused, also after a restart',
      ],
      [
        'electron/main/updates/release-feed.test.ts',
        'freeze: an expired release is refused, also with a clock that was set back',
      ],
      [
        'test/e2e/program/updates.test.ts',
        'off until a feed is configured; then from it only, and only a signed release',
      ],
    ],
  },
  'test/e2e/operator/sweep.test.ts': {
    whole: false,
    standIns: [['test/e2e/operator/sweep.test.ts', '%s: names are links; nothing for axe and nothing beyond the page']],
  },
  'test/e2e/operator/failures.test.ts': {
    whole: false,
    standIns: [
      ['test/e2e/operator/failures.test.ts', '%s: nothing that axe finds, nothing beyond a telephone'],
      ['test/e2e/operator/sweep.test.ts', '%s: names are links; nothing for axe and nothing beyond the page'],
    ],
  },
};
