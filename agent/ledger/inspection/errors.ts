import type { InspectionStop } from '../../../shared/wire/console/constants.ts';

/** The request cannot be answered as asked: ask for another span. */
export class InspectionQueryError extends Error {
  override name = 'InspectionQueryError';
}

/** No explanation matches. */
export class NothingFoundError extends Error {
  override name = 'NothingFoundError';
  constructor() {
    super('No explanation matches this request, so nothing was made.');
  }
}

/** No account has the name, and no row of the audit log is under it. */
export class UnknownPersonError extends Error {
  override name = 'UnknownPersonError';
  constructor(person: string) {
    super(
      `No account and no row of the audit log has the name ${person}: give the display name as the history has it.`,
    );
  }
}

export class UnknownInspectionError extends Error {
  override name = 'UnknownInspectionError';
  constructor(id: string) {
    super(`There is no inspection request ${id}.`);
  }
}

/** Its state does not allow this. */
export class InspectionStateError extends Error {
  override name = 'InspectionStateError';
}

/** The work stops here and can be continued. The message is for people. */
export class InspectionStoppedError extends Error {
  override name = 'InspectionStoppedError';
  readonly stop: InspectionStop;
  constructor(stop: InspectionStop, message: string) {
    super(message);
    this.stop = stop;
  }
}
