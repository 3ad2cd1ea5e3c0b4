/**
 * The memory of the program and its services under continuous work. The target is an hour; `CAUSEWAY_BENCH_MINUTES`
 * sets the time, and the rows name it.
 */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { ensurePackaged } from '../../../electron/packaging/package.ts';
import { readVariables, variable } from '../../../shared/service/variables.ts';
import { median, ratioRow, valueRow, type Bench, type Row } from '../bench.ts';
import { fillLedger } from '../console/filled.ts';
import { ensureDisplay, EXPLANATIONS, openQueue } from './desktop.ts';
import { CONTROL, IN_PAGE, type Page } from './devtools.ts';

const VARIABLES = {
  CAUSEWAY_BENCH_MINUTES: variable.defaulted('minutes of scripted work', 4, variable.wholeNumber(1, 600)),
};
const SAMPLE_MS = 5_000;
const SERVICES = ['console', 'intake', 'provision'] as const;

export const desktopMemory: Bench = {
  name: 'desktop-memory',
  about:
    'what the packed program and its services hold during scripted work (CAUSEWAY_BENCH_MINUTES, 60 for the target)',
  run: async (fixture) => {
    if (process.platform !== 'linux') throw new Error('sizes are read from /proc, which only Linux has');
    const { CAUSEWAY_BENCH_MINUTES: minutes } = readVariables(VARIABLES, process.env);
    await ensureDisplay(fixture);
    const { executable } = await ensurePackaged({ log: fixture.say, test: true });
    const ledger = path.join(fixture.folder('desktop'), 'ledger.sqlite');
    fillLedger(ledger, EXPLANATIONS, fixture.say);
    const program = await openQueue(executable, ledger, fixture.folder('console'), {
      // No server answers there: the Intake retries all the time, as in an outage.
      CAUSEWAY_INTAKE_UPSTREAM: 'http://127.0.0.1:7',
      CAUSEWAY_INTAKE_POLL_SECONDS: '1',
      CAUSEWAY_PROVISION_LISTEN: '127.0.0.1:0',
    });
    fixture.after(() => program.part.stop());
    const pids = await Promise.all(
      SERVICES.map(async (name) => {
        const line = await program.part.logLine(name, ({ msg }) => msg === `${name} service started`);
        return Number(line['servicePid']);
      }),
    );
    const sizes: Record<string, number[]> = { electron: [], console: [], intake: [], provision: [] };
    const ends = performance.now() + minutes * 60_000;
    let next = performance.now();
    for (let turn = 0; performance.now() < ends; turn += 1) {
      await work(program.page, turn);
      if (performance.now() < next) continue;
      next += SAMPLE_MS;
      sizes['electron']?.push(sum(familyOf(program.part.pid, new Set(pids))));
      for (const [at, name] of SERVICES.entries()) sizes[name]?.push(sum([pids[at] ?? 0]));
    }
    return Object.entries(sizes).flatMap(([name, taken]) =>
      rowsOf(name, taken, minutes, name === 'electron' ? 450 : 120),
    );
  },
};

function rowsOf(name: string, taken: number[], minutes: number, most: number): Row[] {
  // A sample may fall before or after a garbage collection: medians are compared.
  const half = Math.floor(taken.length / 2);
  const [first, second] = [taken.slice(0, half), taken.slice(half)];
  const last = taken.slice(-Math.max(1, Math.floor(taken.length / 5)));
  return [
    valueRow(`${name} after ${minutes} min of work`, 'MB', median(last), { atMost: most }),
    ratioRow(`${name}, second half of ${minutes} min`, 'MB', median(second), median(first), { atMost: 1.05 }),
  ];
}

/** Rounds of reading per decision: an hour of rounds must not empty the queue. */
const ROUNDS_TO_DECIDE = 4;

/** One round of a reviewer: sometimes decide, go to the next item, read the board, open an item. */
async function work(page: Page, turn: number): Promise<void> {
  const go = async (href: string, until: string): Promise<void> => {
    await page.value(`(async () => {${IN_PAGE}
      document.querySelector('nav a[href="${href}"]').click();
      await seen(() => ${until});
      await painted();
    })()`);
  };
  await go('/review', `document.querySelector('article h2')`);
  if (turn % ROUNDS_TO_DECIDE === 0) {
    await page.value(`(async () => {${IN_PAGE} await seen(() => document.querySelector('[data-keys=awake]')); })()`);
    await page.press('KeyA', 'a');
    await page.value(`(async () => {${IN_PAGE} await seen(() => document.querySelector('article form')); })()`);
    await page.press('Enter', 'Enter', CONTROL);
    await page.value(
      `(async () => {${IN_PAGE} await seen(() => document.querySelector('article h2') && !document.querySelector('article form')); await painted(); })()`,
    );
  }
  await page.press('KeyJ', 'j');
  await go('/explanations', `location.pathname.startsWith('/explanations') && document.querySelector('tbody a')`);
  await page.value(`(async () => {${IN_PAGE}
    const scroller = [...document.querySelectorAll('div')].find((one) => one.scrollHeight > 1_000_000);
    scroller.scrollTop = ${(turn % 50) * 20_000};
    await painted();
    const link = await seen(() => document.querySelector('tbody a'));
    link.click();
    await seen(() => document.querySelector('article h2'));
    await painted();
  })()`);
}

/** A process and its descendants, without some processes and their descendants. */
function familyOf(pid: number, without: ReadonlySet<number>): number[] {
  const children = new Map<number, number[]>();
  for (const name of readdirSync('/proc').filter((one) => /^\d+$/.test(one))) {
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'latin1');
      const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
      children.set(parent, [...(children.get(parent) ?? []), Number(name)]);
    } catch {
      // It has just ended.
    }
  }
  const family = (one: number): number[] =>
    without.has(one) ? [] : [one, ...(children.get(one) ?? []).flatMap(family)];
  return family(pid);
}

/** Proportional set size of processes in MB: memory shared by several counts once. */
function sum(pids: readonly number[]): number {
  return pids.reduce((total, pid) => {
    try {
      const pss = /^Pss:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'latin1'))?.[1] ?? '0';
      return total + (Number(pss) * 1_024) / 1_000_000;
    } catch {
      return total;
    }
  }, 0);
}
