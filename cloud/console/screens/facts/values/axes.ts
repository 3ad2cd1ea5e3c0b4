/** The axes of the facts as tables: the rows and fields of each, and how they are drawn and compared. */
import type { ReadFacts } from '../../../rules/rule.ts';

export interface AxisRow {
  /** The subject of the row, unique within its axis except for tasks. */
  name: string;
  /** JSON pointer. */
  at: string;
  /** A field that is missing here: the key is absent. */
  cells: Readonly<Record<string, unknown>>;
}

/**
 * `mark`: true or no key at all. `day`: a date. `word`: shown verbatim. `status`: a word of the ledger or the control
 * plane.
 */
export type FieldKind = 'name' | 'word' | 'status' | 'number' | 'instant' | 'day' | 'mark' | 'boolean';

export interface Field<Name extends string = string> {
  name: Name;
  kind: FieldKind;
}

const field = <Name extends string>(name: Name, kind: FieldKind): Field<Name> => ({ name, kind });

const FIELDS = {
  runs: [
    field('id', 'name'),
    field('lane', 'word'),
    field('tradingDate', 'day'),
    field('ledgerStatus', 'status'),
    field('ledgerUpdated', 'instant'),
    field('deadline', 'instant'),
    field('cloudStatus', 'status'),
    field('cloudStop', 'instant'),
    field('planned', 'mark'),
    field('noRunRow', 'mark'),
  ],
  tasks: [
    field('runId', 'name'),
    field('dataset', 'word'),
    field('attempts', 'number'),
    field('recordsOut', 'number'),
    field('unsupportedRecords', 'number'),
    field('failedRecords', 'number'),
    field('completenessExpected', 'number'),
    field('completenessActual', 'number'),
  ],
  datasets: [
    field('id', 'name'),
    field('contract', 'boolean'),
    field('expectedAsOf', 'day'),
    field('actualAsOf', 'day'),
    field('collectedAt', 'instant'),
    field('unverifiable', 'status'),
  ],
  outputs: [
    field('id', 'name'),
    field('label', 'word'),
    field('today', 'number'),
    field('base', 'number'),
    field('unit', 'word'),
  ],
  feeds: [
    field('id', 'name'),
    field('label', 'word'),
    field('v', 'number'),
    field('unit', 'word'),
    field('src', 'word'),
  ],
  stages: [
    field('id', 'name'),
    field('label', 'word'),
    field('batch', 'number'),
    field('intraday', 'number'),
    field('src', 'word'),
  ],
  etfLedger: [
    field('etf', 'name'),
    field('name', 'word'),
    field('triggered', 'boolean'),
    field('outcome', 'status'),
    field('error', 'word'),
  ],
  slots: [field('id', 'name'), field('lane', 'word'), field('plannedFor', 'instant')],
  lanes: [field('id', 'name'), field('last', 'instant'), field('hours', 'word')],
  sources: [field('id', 'name'), field('last', 'instant'), field('dueAt', 'instant'), field('hours', 'word')],
  boundary: [field('count', 'name'), field('value', 'number')],
  queues: [field('name', 'name'), field('visible', 'number'), field('inFlight', 'number'), field('dlq', 'number')],
} as const;

export type AxisId = keyof typeof FIELDS;
export type FieldName = (typeof FIELDS)[AxisId][number]['name'];

/** The fields that identify the subject of a row. */
export const subjectFields = (axis: AxisId): readonly FieldName[] =>
  axis === 'tasks' ? ['runId', 'dataset'] : fieldsOf(axis).flatMap(({ name, kind }) => (kind === 'name' ? [name] : []));

/** In the order of the pipeline; axes of current values come last. */
export const AXIS_IDS = [
  'runs',
  'slots',
  'tasks',
  'datasets',
  'outputs',
  'feeds',
  'stages',
  'etfLedger',
  'lanes',
  'sources',
  'boundary',
  'queues',
] as const satisfies AxisId[];

export const fieldsOf = (axis: AxisId): readonly Field<FieldName>[] => FIELDS[axis];

/** Axes of current values, not those of the viewed day (operator API 2, `boundary`; queues have no date). */
const CURRENT: ReadonlySet<AxisId> = new Set(['lanes', 'sources', 'boundary', 'queues']);
export const isCurrent = (axis: AxisId): boolean => CURRENT.has(axis);

/** Whether one of these pointers leads to current values instead of those of the viewed day. */
export const isOfNow = (pointers: readonly string[]): boolean =>
  pointers.some((pointer) =>
    /^\/(?:boundary|queues|withdrawals|rhythm\/sources|rhythm\/lanes\/\d+\/last)(?:\/|$)/.test(pointer),
  );

/** The axis of the answer by which an absent one is named. */
const POINTERS: Readonly<Record<AxisId, string>> = {
  runs: '/runs',
  tasks: '/tasks',
  datasets: '/datasets',
  outputs: '/outputs',
  feeds: '/chain/feeds',
  stages: '/chain/stages',
  etfLedger: '/etfLedger/rows',
  slots: '/slots',
  lanes: '/rhythm/lanes',
  sources: '/rhythm/sources',
  boundary: '/boundary',
  queues: '/queues',
};

const row =
  <T extends object>(at: string, nameOf: (item: T) => string) =>
  (item: T, index: number): AxisRow => ({
    name: nameOf(item),
    at: `${at}/${index}`,
    cells: Object.fromEntries(Object.entries(item)),
  });

/** Undefined: the axis is absent. Null: it could not be read. */
export function rowsOf(axis: AxisId, facts: ReadFacts): readonly AxisRow[] | null | undefined {
  const at = POINTERS[axis];
  switch (axis) {
    case 'runs':
      return facts.runs?.map(row(at, ({ id }) => id));
    case 'tasks':
      return facts.tasks?.map(row(at, ({ runId, dataset }) => `${runId} ${dataset ?? ''}`));
    case 'datasets':
      return facts.datasets?.map(row(at, ({ id }) => id));
    case 'outputs':
      return facts.outputs?.map(row(at, ({ id }) => id));
    case 'feeds':
      return facts.chain?.feeds.map(row(at, ({ id }) => id));
    case 'stages':
      return facts.chain?.stages.map(row(at, ({ id }) => id));
    case 'etfLedger':
      return facts.etfLedger?.rows.map(row(at, ({ etf }) => etf));
    case 'slots':
      return facts.slots?.map(row(at, ({ id }) => id));
    case 'lanes':
      return facts.rhythm?.lanes.map(row(at, ({ id }) => id));
    case 'sources':
      return facts.rhythm?.sources.map(row(at, ({ id }) => id));
    case 'boundary':
      return facts.boundary === undefined
        ? undefined
        : BOUNDARY_COUNTS.map((count) => ({
            name: count,
            at: `${at}/${count}`,
            cells: { count, value: facts.boundary?.[count] },
          }));
    case 'queues':
      return facts.queues === null ? null : facts.queues?.map(row(at, ({ name }) => name));
  }
}

const BOUNDARY_COUNTS = ['publishedWithoutDelivery', 'deliveryNowNonpublished', 'deliveryRows'] as const;

/** JSON pointers of the facts without a key in this answer: whole axes, then the control plane (operator API 9). */
export function absentFacts(facts: ReadFacts): string[] {
  const axes = [
    'runs',
    'slots',
    'tasks',
    'datasets',
    'outputs',
    'boundary',
    'chain',
    'etfLedger',
    'rhythm',
    'queues',
  ] as const;
  const cloud = facts.meta.cloud === undefined ? ['/meta/cloud'] : [];
  const ofRuns = (['cloudStatus', 'cloudStop'] as const).filter((name) =>
    facts.runs?.some((run) => run.planned === undefined && run[name] === undefined),
  );
  return [
    ...axes.filter((axis) => facts[axis] === undefined).map((axis) => `/${axis}`),
    ...cloud,
    ...ofRuns.map((name) => `/runs/*/${name}`),
  ];
}

/** JSON pointers of the axes that could not be read. */
export function unseenFacts({ meta, queues }: ReadFacts): string[] {
  return [...(meta.cloud === null ? ['/meta/cloud'] : []), ...(queues === null ? ['/queues'] : [])];
}

/** The axis that a JSON pointer leads into; null for the clocks. */
export function axisAt(pointer: string): AxisId | null {
  if (pointer === '/chain') return 'feeds';
  if (pointer === '/etfLedger') return 'etfLedger';
  if (pointer === '/rhythm') return 'lanes';
  return AXIS_IDS.find((axis) => pointer === POINTERS[axis] || pointer.startsWith(`${POINTERS[axis]}/`)) ?? null;
}

/** How the value at a JSON pointer is drawn. */
export function kindOf(pointer: string): FieldKind {
  if (pointer === '/meta/db' || pointer === '/meta/cloud' || /\/hours\/\d+\/at$/.test(pointer)) return 'instant';
  const axis = axisAt(pointer);
  const last = pointer.slice(pointer.lastIndexOf('/') + 1);
  const kind = axis === null ? undefined : fieldsOf(axis).find(({ name }) => name === last)?.kind;
  return kind ?? 'word';
}
