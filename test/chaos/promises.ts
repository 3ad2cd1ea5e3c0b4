/**
 * The promises of README.md as pure functions of a history. Each returns its breaches as sentences; none: it is kept.
 */
import {
  groupedBy,
  ofKind,
  precedes,
  type BundleRead,
  type Decision,
  type History,
  type ItemRead,
  type ProvisionRead,
  type Publication,
  type Switch,
} from './history.ts';

type Promise = (history: History) => string[];

const EXPOSING = new Set<string>(['approve', 'approve-edited']);
const EXPOSED = new Set(['AUTO_PUBLISHED', 'PUBLISHED']);

/** The cursors of each tenant's entries, from all reads of its bundles, and what contradicts one order. */
function orderOf(reads: readonly BundleRead[], breaches: string[]): Map<string, number> {
  const byCursor = new Map<number, string>();
  const byEntry = new Map<string, number>();
  for (const { tenant, after, head, entries } of reads) {
    let last = after;
    for (const { cursor, entry } of entries) {
      if (cursor !== last + 1) breaches.push(`tenant ${tenant}: after cursor ${last} came ${cursor}`);
      last = cursor;
      const known = byCursor.get(cursor);
      if (known !== undefined && known !== entry)
        breaches.push(`tenant ${tenant}: cursor ${cursor} was ${known}, then ${entry}`);
      const elsewhere = byEntry.get(entry);
      if (elsewhere !== undefined && elsewhere !== cursor)
        breaches.push(`tenant ${tenant}: ${entry} has the cursors ${elsewhere} and ${cursor}`);
      byCursor.set(cursor, entry);
      byEntry.set(entry, cursor);
    }
    if (head < last) breaches.push(`tenant ${tenant}: a bundle reaches ${last}, beyond its head ${head}`);
  }
  return byEntry;
}

function tenantsOf(history: History): Map<string, BundleRead[]> {
  return groupedBy(ofKind(history, 'BUNDLE'), ({ tenant }) => String(tenant));
}

/** One total order of records, the same for every tenant, in which an earlier acknowledgment precedes a later request. */
export const oneOrder: Promise = (history) => {
  const breaches: string[] = [];
  const publications = new Map(ofKind(history, 'PUBLICATION').map((each) => [each.entry, each]));
  let first: string[] | null = null;
  for (const [tenant, reads] of tenantsOf(history)) {
    const order = [...orderOf(reads, breaches)].toSorted(([, one], [, other]) => one - other).map(([entry]) => entry);
    if (first === null) first = order;
    const other = order.findIndex((entry, index) => first?.[index] !== undefined && entry !== first[index]);
    if (other >= 0) breaches.push(`tenant ${tenant}: ${order[other]} stands where others have ${first[other]}`);
    let latest: Publication | null = null;
    for (const entry of order) {
      const here = publications.get(entry);
      if (here === undefined) continue;
      if (latest !== null && precedes(here, latest))
        breaches.push(
          `tenant ${tenant}: ${entry} was acknowledged before ${latest.entry} was asked for, and follows it`,
        );
      if (latest === null || here.begin > latest.begin) latest = here;
    }
  }
  return breaches;
};

/** What was acknowledged is there, once; what is there was asked for; a head includes what was acknowledged before. */
export const nothingMissing: Promise = (history) => {
  const breaches: string[] = [];
  const publications = ofKind(history, 'PUBLICATION');
  const asked = new Set(publications.filter(({ outcome }) => outcome !== 'REFUSED').map(({ entry }) => entry));
  for (const [tenant, reads] of tenantsOf(history)) {
    const cursors = orderOf(reads, []);
    for (const entry of cursors.keys())
      if (!asked.has(entry)) breaches.push(`tenant ${tenant}: ${entry} was never asked for`);
    const done = publications.filter(({ outcome }) => outcome === 'DONE').toSorted((one, other) => one.end - other.end);
    for (const { entry } of done)
      if (!cursors.has(entry)) breaches.push(`tenant ${tenant}: ${entry} was acknowledged and is missing`);
    let next = 0;
    let least = 0;
    for (const read of reads.toSorted((one, other) => one.begin - other.begin)) {
      for (let each = done[next]; each !== undefined && precedes(each, read); each = done[++next])
        least = Math.max(least, cursors.get(each.entry) ?? 0);
      if (read.head < least)
        breaches.push(`tenant ${tenant}: a head of ${read.head} when cursor ${least} had been acknowledged`);
    }
  }
  return breaches;
};

/** The decisions about an item that may have been made. */
function decisionsByItem(history: History): Map<string, Decision[]> {
  const made = ofKind(history, 'DECISION').filter(({ outcome }) => outcome !== 'REFUSED');
  return groupedBy(made, ({ tenant, item }) => `${tenant} ${item}`);
}

/** Whether a decision leaves its item unexposed. */
const takesOff = ({ move }: Decision): boolean => !EXPOSING.has(move) && move !== 'correct';

/** What takes an item off in a tenant: a person's act, or the vendor's withdrawal. */
function takenOff(history: History): (tenant: number, item: string) => readonly (Decision | Publication)[] {
  const acts = decisionsByItem(history);
  const withdrawals = groupedBy(ofKind(history, 'PUBLICATION'), ({ entry }) => entry);
  return (tenant, item) => [
    ...(acts.get(`${tenant} ${item}`) ?? []).filter(takesOff),
    ...(withdrawals.get(`INVALIDATION ${item}`) ?? []).filter(({ outcome }) => outcome !== 'REFUSED'),
  ];
}

/** The cursor at which a tenant is given an item first, by the bundles that the run has read; 0: none of them has it. */
function cursorsOf(history: History): (tenant: number, item: string) => number {
  const first = new Map<string, number>();
  for (const { tenant, entries } of ofKind(history, 'BUNDLE'))
    for (const { cursor, entry } of entries)
      first.set(`${tenant} ${entry}`, Math.min(cursor, first.get(`${tenant} ${entry}`) ?? Infinity));
  return (tenant, item) => first.get(`${tenant} NEW ${item}`) ?? 0;
}

/**
 * A channel that was served a text is not served one of an earlier place, nor one that another has replaced before its
 * eyes, unless a person may have put it there in between, or it was published after another of its ticker was taken off,
 * or came to the tenant after a person had done that: it is a new statement then (D202). The other may be one that the
 * channel has not read.
 */
export const neverBack: Promise = (history) => {
  const breaches: string[] = [];
  const decisions = decisionsByItem(history);
  const offOf = takenOff(history);
  const cursorOf = cursorsOf(history);
  const itemsOf = groupedBy([...history.texts.values()], ({ ticker }) => ticker);
  const actedAt = new Map(history.recorded.map(({ tenant, token, cursor }) => [`${tenant} ${token}`, cursor]));
  const published = new Map(ofKind(history, 'PUBLICATION').map(({ entry, end }) => [entry, end]));
  const channels = groupedBy(
    ofKind(history, 'PROVISION'),
    ({ tenant, channel, ticker }) => `${tenant} ${channel} ${ticker}`,
  );
  for (const [channel, reads] of channels) {
    const seen = new Set<string>();
    let before: { text: string; item: string; place: number; read: ProvisionRead } | null = null;
    for (const read of reads.toSorted((one, other) => one.begin - other.begin)) {
      const { text: words } = read;
      if (words === null) continue;
      const text = history.texts.get(words);
      if (text === undefined) {
        breaches.push(`channel ${channel} was served a text that nobody wrote: ${words}`);
        continue;
      }
      if (before !== null && before.text !== words && precedes(before.read, read)) {
        const from = before.read;
        const isForward = text.place > before.place && !seen.has(words);
        const byPerson = (decisions.get(`${read.tenant} ${text.item}`) ?? []).some(
          (each) => each.text === words && each.end >= from.begin && each.begin <= read.end,
        );
        const isNew =
          !seen.has(words) &&
          (itemsOf.get(read.ticker) ?? []).some((each) =>
            offOf(read.tenant, each.item).some(
              (off) =>
                off.begin <= read.end &&
                (off.begin <= (published.get(`NEW ${text.item}`) ?? 0) ||
                  (off.kind === 'DECISION' &&
                    cursorOf(read.tenant, text.item) > (actedAt.get(`${off.tenant} ${off.token}`) ?? Infinity))),
            ),
          );
        if (!isForward && !byPerson && !isNew)
          breaches.push(`channel ${channel} was served "${words}" after "${before.text}", and no person did that`);
      }
      seen.add(words);
      before = { text: words, item: text.item, place: text.place, read };
    }
  }
  return breaches;
};

/** A text that was stopped, sent to review, refused or withdrawn is served to no channel, until a person exposes it. */
export const nothingAfterItsEnd: Promise = (history) => {
  const breaches: string[] = [];
  const decisions = decisionsByItem(history);
  /** Moments from which an item is known not to be exposed. */
  const hidden = [
    ...ofKind(history, 'DECISION').filter((each) => each.outcome === 'DONE' && takesOff(each)),
    ...ofKind(history, 'ITEM').filter(({ status }) => !EXPOSED.has(status)),
  ];
  const ends = groupedBy(hidden, ({ tenant, item }) => `${tenant} ${item}`);
  for (const read of ofKind(history, 'PROVISION')) {
    const item = read.text === null ? undefined : history.texts.get(read.text)?.item;
    if (item === undefined) continue;
    const key = `${read.tenant} ${item}`;
    for (const end of ends.get(key) ?? []) {
      if (!precedes(end, read)) continue;
      const isFinal = end.kind === 'ITEM' && end.status === 'INVALIDATED';
      const again = (decisions.get(key) ?? []).some(
        // An approval follows the end when it has read the version that the end has made, or a later one.
        (each) => EXPOSING.has(each.move) && each.seen >= (end.version ?? 0) && each.begin <= read.end,
      );
      if (again && !isFinal) continue;
      const why = end.kind === 'ITEM' ? end.status : end.move;
      breaches.push(
        `tenant ${read.tenant}: ${item} was served to ${read.channel} at ${read.begin} after ${why} at ${end.end}`,
      );
      break;
    }
  }
  return breaches;
};

/**
 * Each item is a register whose writes name the version that they replace. The versions give the order; it must agree
 * with real time, no version may be replaced twice, and one version has one state.
 */
export const decisionsLinearise: Promise = (history) => {
  const breaches: string[] = [];
  const done = ofKind(history, 'DECISION').filter(({ outcome }) => outcome === 'DONE');
  const all: (Decision | ItemRead)[] = [...done, ...ofKind(history, 'ITEM')];
  for (const [item, here] of groupedBy(all, (each) => `${each.tenant} ${each.item}`)) {
    const replaced = new Map<number, string>();
    const states = new Map<number, string>();
    for (const each of here) {
      if (each.kind === 'ITEM') {
        const known = states.get(each.version);
        if (known !== undefined && known !== each.status)
          breaches.push(`${item}: version ${each.version} was ${known} and ${each.status}`);
        states.set(each.version, each.status);
        continue;
      }
      const other = replaced.get(each.seen);
      if (other !== undefined) breaches.push(`${item}: ${other} and ${each.token} both replaced version ${each.seen}`);
      replaced.set(each.seen, each.token);
      if (each.version !== each.seen + 1)
        breaches.push(`${item}: ${each.token} replaced version ${each.seen} and made ${each.version}`);
    }
    let latest = 0;
    const ended = here.toSorted((one, other) => one.end - other.end);
    let next = 0;
    for (const each of here.toSorted((one, other) => one.begin - other.begin)) {
      for (let past = ended[next]; past !== undefined && precedes(past, each); past = ended[++next])
        latest = Math.max(latest, past.version ?? 0);
      if ((each.version ?? 0) < latest)
        breaches.push(`${item}: version ${each.version} at ${each.begin}, after version ${latest} had been answered`);
    }
  }
  return breaches;
};

/** Where each move of a person leads; a correction keeps one of the exposed states. */
const STATES: Record<Decision['move'], string[]> = {
  approve: ['PUBLISHED'],
  'approve-edited': ['PUBLISHED'],
  reject: ['REJECTED'],
  block: ['BLOCKED'],
  stop: ['STOPPED'],
  'move-to-review': ['PENDING_REVIEW'],
  correct: [...EXPOSED],
};

/** Each acknowledged decision is on record once and as it was made; a refused one is not; nobody else decided. */
export const decisionsKept: Promise = (history) => {
  const breaches: string[] = [];
  const recorded = groupedBy(history.recorded, ({ tenant, token }) => `${tenant} ${token}`);
  for (const { tenant, token, item, move, outcome, person, text } of ofKind(history, 'DECISION')) {
    const rows = recorded.get(`${tenant} ${token}`) ?? [];
    recorded.delete(`${tenant} ${token}`);
    const wanted = outcome === 'DONE' ? rows.length === 1 : outcome === 'OPEN' ? rows.length <= 1 : rows.length === 0;
    if (!wanted) breaches.push(`tenant ${tenant}: ${token} (${outcome}) is on record ${rows.length} times`);
    for (const row of rows)
      if (
        row.item !== item ||
        row.move !== move ||
        row.person !== person ||
        row.text !== text ||
        !STATES[move].includes(row.status)
      )
        breaches.push(
          `tenant ${tenant}: ${token} was ${move} of ${item} by ${person} with ${JSON.stringify(text)}, and is on record as ${JSON.stringify(row)}`,
        );
  }
  for (const rows of recorded.values())
    for (const { tenant, token, move, item } of rows)
      breaches.push(`tenant ${tenant}: ${move} of ${item} (${token}) is on record, and nobody did it`);
  return breaches;
};

/** A channel that is switched off is served nothing from the acknowledgment on, until somebody may switch it on. */
export const switchesHold: Promise = (history) => {
  const breaches: string[] = [];
  const switches = groupedBy(ofKind(history, 'SWITCH'), ({ tenant, channel }) => `${tenant} ${channel}`);
  for (const read of ofKind(history, 'PROVISION')) {
    if (read.text === null) continue;
    const here = switches.get(`${read.tenant} ${read.channel}`) ?? [];
    const isOff = here.some((each) => each.outcome === 'DONE' && precedes(each, read) && !isOnSince(here, each, read));
    if (isOff)
      breaches.push(`tenant ${read.tenant}: ${read.channel} was served "${read.text}" while it was switched off`);
  }
  return breaches;
};

/** Whether an acknowledged switch was one to on, or a later one may have been. */
function isOnSince(switches: readonly Switch[], acknowledged: Switch, read: ProvisionRead): boolean {
  return switches.some(
    ({ enabled, outcome, seen, begin, end }) =>
      enabled &&
      (outcome === 'DONE' || (outcome === 'OPEN' && seen > acknowledged.seen)) &&
      end >= acknowledged.begin &&
      begin <= read.end,
  );
}

/** A text with a word that the policy sends to a reviewer, and that was sent after it, is served only after a decision. */
export const policiesHold: Promise = (history) => {
  const breaches: string[] = [];
  const decisions = decisionsByItem(history);
  const begun = new Map(ofKind(history, 'PUBLICATION').map(({ entry, begin }) => [entry, begin]));
  for (const read of ofKind(history, 'PROVISION')) {
    const text = read.text === null ? undefined : history.texts.get(read.text);
    if (text?.isScreened !== true) continue;
    const sent = begun.get(`NEW ${text.item}`) ?? 0;
    const found = history.words.find(
      ({ tenant, word, since }) => tenant === read.tenant && since < sent && read.text?.includes(word) === true,
    );
    if (found === undefined) continue;
    const isDecided = (decisions.get(`${read.tenant} ${text.item}`) ?? []).some(
      ({ move, begin }) => EXPOSING.has(move) && begin <= read.end,
    );
    if (!isDecided)
      breaches.push(`tenant ${read.tenant}: "${read.text}" was served, and nobody had approved the word ${found.word}`);
  }
  return breaches;
};

/** For a withdrawal to be off everywhere, where nothing holds it up. */
const OFF_MS = 10_000;

/** When each withdrawn item is off everywhere: some seconds after its acknowledgment and the last fault, and a pause in force. */
export function dueOff({ operations, calm }: Pick<History, 'operations' | 'calm'>): Map<string, number> {
  if (calm === null) return new Map();
  const due = (end: number): number => Math.max(end, calm.since) + OFF_MS + calm.longestPauseMs;
  return new Map(
    operations.flatMap((each) => {
      const item = each.kind === 'PUBLICATION' ? /^INVALIDATION (.*)$/.exec(each.entry)?.[1] : undefined;
      return item === undefined ? [] : [[item, due(each.end)] as const];
    }),
  );
}

/** Once no fault is left, a withdrawal is off everywhere within seconds. */
export const offInTime: Promise = (history) => {
  const due = dueOff(history);
  return ofKind(history, 'PROVISION').flatMap(({ tenant, channel, text, begin }) => {
    const item = text === null ? undefined : history.texts.get(text)?.item;
    const until = item === undefined ? undefined : due.get(item);
    if (until === undefined || begin <= until) return [];
    return [
      `tenant ${tenant}: ${item} was served to ${channel} ${Math.round(begin - until)} ms after it had to be off`,
    ];
  });
};

export const PROMISES = {
  oneOrder,
  nothingMissing,
  neverBack,
  nothingAfterItsEnd,
  decisionsLinearise,
  decisionsKept,
  switchesHold,
  policiesHold,
  offInTime,
} as const;

/** All breaches, each with the name of its promise. */
export function breachesOf(history: History): string[] {
  return Object.entries(PROMISES).flatMap(([name, check]) => check(history).map((breach) => `${name}: ${breach}`));
}
