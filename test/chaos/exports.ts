/** The administrator takes records out while faults are about; each file is checked without the ledger at the end. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Seeded } from '../support/seeded.ts';
import type { Item, Person } from './people.ts';
import type { Recorder } from './recorder.ts';
import { TICKERS } from './tickers.ts';

/** So many of each kind are kept for the check. */
const KEPT = 3;

interface Inspection {
  id: string;
  form: 'LIST' | 'ARCHIVE';
  state: 'OPEN' | 'STOPPED' | 'READY' | 'CANCELLED' | 'DELETED';
  stop: string | null;
}

/** Dossiers, an archive of them, and the audit log, again and again. */
export async function exportRecords(
  recorder: Recorder,
  random: Seeded,
  person: Person,
  isOver: () => boolean,
): Promise<void> {
  for (let number = 1; !isOver(); number += 1) {
    for (const act of [takeDossier, takeArchive, readLog])
      await act(recorder, random, person, number).catch(() => recorder.count('console gave no answer'));
    await pause(8_000 + random.below(8_000));
  }
}

type Act = (recorder: Recorder, random: Seeded, person: Person, number: number) => Promise<void>;

const takeDossier: Act = async (recorder, random, person, number) => {
  const page = await person.ask<{ items: Item[] }>('GET', '/explanations?size=20');
  if (page.status !== 200 || page.result.items.length === 0) return;
  const { id } = random.pick(page.result.items);
  const { status, code, bytes } = await person.ask('POST', '/dossiers', { body: { explanation: id } });
  recorder.count(`dossier ${status} ${code}`);
  if (status === 200) keep(person, `dossier-${number % KEPT}.zip`, bytes);
};

/** One archive of a ticker is asked for at a time, and taken when it is ready. */
const takeArchive: Act = async (recorder, random, person, number) => {
  const { status, result } = await person.ask<{ items: Inspection[] }>('GET', '/inspections?size=20');
  if (status !== 200) return;
  const one = result.items.find(({ state }) => ['OPEN', 'STOPPED', 'READY'].includes(state));
  if (one === undefined) {
    const page = await person.ask<{ items: Item[] }>('GET', '/explanations?size=1');
    const day = page.status === 200 ? page.result.items[0]?.trade_date : undefined;
    if (day === undefined) return;
    const body = { from: day, to: day, ticker: random.pick(TICKERS), form: 'ARCHIVE', language: 'ko' };
    const asked = await person.ask('POST', '/inspections', { body });
    recorder.count(`archive ${asked.status} ${asked.code}`);
  } else if (one.state === 'STOPPED') {
    recorder.count(`archive stopped: ${one.stop}`);
    await person.ask('POST', `/inspections/${one.id}/continue`);
  } else if (one.state === 'READY') {
    const file = await person.ask('POST', `/inspections/${one.id}/download`);
    recorder.count(`archive taken ${file.status} ${file.code}`);
    if (file.status === 200) keep(person, `archive-${number % KEPT}.zip`, file.bytes);
    await person.ask('DELETE', `/inspections/${one.id}`);
  }
};

const readLog: Act = async (recorder, _, person) => {
  const { status, bytes } = await person.ask('GET', '/audit/actions', { accept: 'text/csv' });
  recorder.count(`audit ${status}`);
  if (status === 200 && (bytes ?? []).length === 0) person.host.fail('the audit log came as an empty CSV');
};

function keep({ host }: Person, name: string, bytes: Uint8Array | null): void {
  const file = path.join(host.folder, name);
  writeFileSync(file, bytes ?? '');
  if (!host.exports.includes(file)) host.exports.push(file);
}
