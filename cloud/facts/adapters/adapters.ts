/** Systems outside of the store (D26): the workflow control plane and the queues. Each kind is one adapter. */

/** An execution by the control plane. */
export interface Execution {
  /** The control plane's own word. */
  status: string;
  /** Null: unknown. */
  stoppedAt: Date | null;
}

export interface WorkflowReading {
  /** The time of the reading. */
  at: Date;
  /** By execution id; an execution that the control plane does not know is absent. */
  executions: ReadonlyMap<string, Execution>;
}

export interface WorkflowAdapter {
  /** @throws AdapterError, or the store's error, when any requested value could not be read (D47) */
  read(executionIds: readonly string[]): Promise<WorkflowReading>;
}

export interface QueueCounts {
  name: string;
  visible: number;
  inFlight: number;
  delayed: number;
  /** The dead-letter queue's messages: visible, in flight and delayed; 0 without one (D51). */
  dlq: number;
}

export interface QueueAdapter {
  /** @throws AdapterError, or the store's error, when any queue could not be read */
  read(): Promise<QueueCounts[]>;
}

/** The external system's answer is unusable. */
export class AdapterError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'AdapterError';
  }
}
