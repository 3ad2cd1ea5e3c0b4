/**
 * A console API's writer alone: decisions one after the other and several at once, each printed on stdout when it is
 * answered. `journal-writer.ts LEDGER FOLDER`; it runs until it is killed. A refusal, as after a stop that outlasts the
 * journal's patience, answers nothing, and the next decision follows.
 */
import { DecisionJournal } from '../../../agent/ledger/journal/journal.ts';
import { addNote } from '../../../agent/ledger/review/notes.ts';
import { openLedger } from '../../../agent/ledger/storage/ledger.ts';
import { sqlite } from '../../../agent/ledger/storage/query.ts';
import { journalledWrite, Writer } from '../../../electron/console-api/http/writer.ts';

const [file = '', folder = ''] = process.argv.slice(2);
const ledger = openLedger(file);
const log = { info: () => undefined, error: (facts: object) => process.stderr.write(`${JSON.stringify(facts)}\n`) };
const journal = await DecisionJournal.open({ ledger, folder, mode: 'require', log });
const write = journalledWrite(new Writer(ledger), journal);
const actor = { kind: 'MEMBER', id: 'm', displayName: '심사자', role: 'COMPLIANCE_REVIEWER' } as const;
const { id } = ledger.first(sqlite.selectFrom('explanation').select('id').limit(1)) ?? { id: '' };

async function decide(): Promise<void> {
  for (;;) {
    const at = new Date().toISOString();
    await write((tx) => addNote(tx, { id, text: 'a note of a person. '.repeat(20), actor, at })).then(
      (note) => process.stdout.write(`answered ${note.id}\n`),
      (error: unknown) => process.stderr.write(`refused: ${String(error)}\n`),
    );
  }
}

await Promise.all([decide(), decide(), decide()]);
