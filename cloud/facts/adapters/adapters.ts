/** Systems outside of the store (D26): the workflow control plane and the queues. Each kind is one adapter. */

/** An execution as the control plane tells it. */
export interface Execution {
  /** The control plane's own word. */
  status: string;
  /** Null: none is told. */
  stoppedAt: Date | null;
}

export interface WorkflowReading {
  /** When it was looked at. */
  at: Date;
  /** By execution id; what the control plane does not know is not in it. */
  executions: ReadonlyMap<string, Execution>;
}

export interface WorkflowAdapter {
  /** @throws AdapterError, or the store's error, when anything asked for could not be seen (D47) */
  read(executionIds: readonly string[]): Promise<WorkflowReading>;
}

export interface QueueCounts {
  name: string;
  visible: number;
  inFlight: number;
  delayed: number;
  /** Of its dead-letter queue: visible, in flight and delayed; 0 without one (D51). */
  dlq: number;
}

export interface QueueAdapter {
  /** @throws AdapterError, or the store's error, when any queue could not be seen */
  read(): Promise<QueueCounts[]>;
}

/** The answer from outside is none that can be used. */
export class AdapterError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'AdapterError';
  }
}
