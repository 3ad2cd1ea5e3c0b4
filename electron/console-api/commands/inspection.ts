/**
 * `npm run console-api -- inspection …`: requests of an inspector on the ledger's host (D174). It may run while the
 * services do. `work` is what the console API runs beside itself.
 */
import { existsSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { actorName, chainEnd, commandActor, recordAction } from '../../../agent/ledger/audit/audit.ts';
import { keepAllBlocks } from '../../../agent/ledger/audit/checkpoint.ts';
import { LogNotWholeError } from '../../../agent/ledger/audit/log-tree.ts';
import {
  InspectionQueryError,
  InspectionStoppedError,
  NothingFoundError,
  UnknownPersonError,
} from '../../../agent/ledger/inspection/errors.ts';
import { listInspected, refuseQuery, refuseTotal } from '../../../agent/ledger/inspection/find.ts';
import { isLaidOut, layOut, readOrder, workOn, type Order } from '../../../agent/ledger/inspection/work.ts';
import { RecordNotWholeError, UnknownTickerError } from '../../../agent/ledger/shown/errors.ts';
import { asLedgerError, LedgerError } from '../../../agent/ledger/storage/errors.ts';
import { openLedger, type Ledger } from '../../../agent/ledger/storage/ledger.ts';
import { CheckpointError } from '../../../shared/service/checkpoints/checkpoint.ts';
import { checkpointKey } from '../../../shared/service/checkpoints/key.ts';
import { storedTrees } from '../../../shared/service/checkpoints/schedule.ts';
import { ConfigurationError, readVariables } from '../../../shared/service/variables.ts';
import { isCalendarDate } from '../../../shared/time/kst.ts';
import { AUDIT_LANGUAGES } from '../../../shared/wire/console/audit-words.ts';
import type { InspectionForm } from '../../../shared/wire/console/constants.ts';
import { inspectionQuerySchema, type InspectionQuery } from '../../../shared/wire/console/inspection.ts';
import { checkpointKeyFile, DOSSIER_VARIABLES } from '../context/settings.ts';
import { gentle, runWork } from '../inspection/work-process.ts';
import type { CommandParts } from './audit.ts';

export const INSPECTION_HELP = `Requests of an inspector (CAUSEWAY_LEDGER names the ledger's file):
  inspection count CONDITIONS                                     how many explanations are meant, by state; makes nothing
  inspection make --form list CONDITIONS --file FILE.csv          the list of them as a CSV
  inspection make --form archive CONDITIONS --file FILE.zip       one archive of their dossiers, with the same list
  CONDITIONS: --from DATE --to DATE (trade dates) [--ticker CODE] [--person NAME] [--outcome STATE …] [--word TEXT] [--reason TEXT]
  --language ko or en: of the list, ko unless given. A command that was cut off goes on where it stood when it is called again.
`;

/** Expected refusals: the message is complete. */
const REFUSALS = [
  CheckpointError,
  ConfigurationError,
  InspectionQueryError,
  InspectionStoppedError,
  LedgerError,
  LogNotWholeError,
  NothingFoundError,
  RecordNotWholeError,
  UnknownPersonError,
  UnknownTickerError,
];

/** @returns the exit code: 0 made or counted, 1 not made, 2 wrong arguments */
export async function runInspectionCommand(args: readonly string[], parts: CommandParts): Promise<number> {
  const asked = read(args);
  if (asked === null) {
    parts.complain(INSPECTION_HELP);
    return 2;
  }
  try {
    await run(asked, parts);
    return 0;
  } catch (error) {
    const isTold = error instanceof Error && ('syscall' in error || REFUSALS.some((kind) => error instanceof kind));
    if (!isTold) throw error;
    parts.complain(error.message);
    return error instanceof ConfigurationError ? 2 : 1;
  }
}

type InspectionCommand =
  | { command: 'work'; folder: string }
  | { command: 'count'; query: InspectionQuery }
  | { command: 'make'; query: InspectionQuery; form: InspectionForm; language: Order['language']; file: string };

async function run(asked: InspectionCommand, parts: CommandParts): Promise<void> {
  const variables = readVariables(DOSSIER_VARIABLES, parts.env);
  const ledger = openLedger(variables.CAUSEWAY_LEDGER, { create: false, progress: parts.progress });
  try {
    if (asked.command === 'count') return await count(ledger, asked.query, parts);
    const proving = {
      key: await checkpointKey(checkpointKeyFile(variables)),
      checkpoints: await storedTrees(variables.CAUSEWAY_CHECKPOINT_FOLDER ?? null, 'console_action_log'),
    };
    const work = { ledger, ...proving, clock: parts.clock };
    if (asked.command === 'work') await runWork(asked.folder, work, parts.print);
    else await make(ledger, asked, work, parts);
  } catch (error) {
    // A file of the request is no ledger.
    throw error instanceof Error && 'syscall' in error ? error : asLedgerError(ledger.file, error);
  } finally {
    ledger.close();
  }
}

async function count(ledger: Ledger, query: InspectionQuery, { clock, print }: CommandParts): Promise<void> {
  refuseQuery(ledger, query, clock.now());
  const { total, outcomes } = await listInspected(ledger, query, () => Promise.resolve());
  for (const each of outcomes) print(`${each.status}: ${each.count}`);
  print(`Explanations: ${total}`);
}

async function make(
  ledger: Ledger,
  { query, form, language, file }: Extract<InspectionCommand, { command: 'make' }>,
  work: Omit<Parameters<typeof workOn>[1], 'rest'>,
  { clock, print }: CommandParts,
): Promise<void> {
  const folder = `${file}.work`;
  if (existsSync(file)) throw new ConfigurationError([`${file} is there already: name another file.`]);
  const actor = commandActor();
  const id = path.basename(file);
  if (!isLaidOut(folder)) {
    refuseQuery(ledger, query, clock.now());
    const { ids, total } = await listInspected(ledger, query, () => Promise.resolve());
    refuseTotal(total, form);
    layOut(folder, { id, form, language, query, madeBy: actorName(actor), ids, head: chainEnd(ledger) });
  }
  const order = readOrder(folder);
  if (order.form !== form || order.language !== language || JSON.stringify(order.query) !== JSON.stringify(query))
    throw new ConfigurationError([`${folder} holds another request that was not finished: name another file.`]);
  await keepAllBlocks((task) => Promise.resolve(ledger.write(task)));
  const steps = workOn(folder, { ...work, rest: gentle() });
  let step = await steps.next();
  for (; step.done !== true; step = await steps.next())
    if (step.value % 100 === 0) print(`${step.value} of ${order.ids.length}`);
  const made = step.value;
  ledger.write((tx) =>
    recordAction(tx, {
      ...{ at: clock.now().toISOString(), actor, action: 'inspection.make', targetType: 'inspection', targetId: id },
      detail: { form, query, ...made },
    }),
  );
  renameSync(path.join(folder, made.file), file);
  rmSync(folder, { recursive: true, force: true });
  const check = form === 'ARCHIVE' ? ` Check it: causeway-agent verify-dossier ${file}` : '';
  print(`Written: ${file}, ${made.bytes} bytes, ${made.explanations} explanations.${check}`);
}

/** Null for wrong arguments. */
function read([command, ...args]: readonly string[]): InspectionCommand | null {
  if (command === 'work') return args[0] === undefined || args.length > 1 ? null : { command, folder: args[0] };
  if (command !== 'count' && command !== 'make') return null;
  const text = { type: 'string' } as const;
  let values;
  try {
    ({ values } = parseArgs({
      args: [...args],
      options: {
        ...{ from: text, to: text, ticker: text, person: text, word: text, reason: text },
        ...{ form: text, language: text, file: text, outcome: { type: 'string', multiple: true } },
      },
    }));
  } catch {
    return null;
  }
  const { form, language = 'ko', file, outcome: outcomes, ...rest } = values;
  const query = inspectionQuerySchema.safeParse({ ...rest, ...(outcomes === undefined ? {} : { outcomes }) }).data;
  if (query === undefined || ![query.from, query.to].every(isCalendarDate)) return null;
  if (command === 'count') return form === undefined && file === undefined ? { command, query } : null;
  const spoken = z.enum(AUDIT_LANGUAGES).safeParse(language).data;
  const kind = form === 'list' ? 'LIST' : form === 'archive' ? 'ARCHIVE' : undefined;
  if (kind === undefined || spoken === undefined || file === undefined) return null;
  return { command, query, form: kind, language: spoken, file };
}
