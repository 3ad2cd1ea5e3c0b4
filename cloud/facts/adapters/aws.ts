/**
 * Step Functions and SQS through the vendor's SDK (D26), which signs, retries and backs off. Only a complete answer
 * about the requested object is used: any other counts as unreadable.
 */
import { DescribeExecutionCommand, ExecutionDoesNotExist, SFNClient, type SFNClientConfig } from '@aws-sdk/client-sfn';
import { GetQueueAttributesCommand, GetQueueUrlCommand, SQSClient, type SQSClientConfig } from '@aws-sdk/client-sqs';
import type { Clock } from '../../../shared/time/clock.ts';
import { parseJson } from '../../../shared/wire/json.ts';
import { AdapterError, type Execution, type QueueCounts, type QueueAdapter, type WorkflowAdapter } from './adapters.ts';

export interface AwsParts {
  region: string;
  /** Instead of the region's own address, for a private endpoint and for tests. */
  endpoint: string | null;
  /** The time limit of one reading in all, its retries included, in ms. */
  readMs: number;
  /** The time limit of one connection and of one answer, in ms. */
  answerMs: number;
  credentials?: { accessKeyId: string; secretAccessKey: string };
}

export const AWS_READ_MS = 10_000;
export const AWS_ANSWER_MS = 4_000;

/** Executions that are requested in parallel. */
const PARALLEL = 8;

function settings({ region, endpoint, answerMs, credentials }: AwsParts): SFNClientConfig & SQSClientConfig {
  return {
    region,
    maxAttempts: 3,
    requestHandler: { connectionTimeout: answerMs, requestTimeout: answerMs, throwOnRequestTimeout: true },
    ...(endpoint === null ? {} : { endpoint }),
    ...(credentials === undefined ? {} : { credentials }),
  };
}

export function awsWorkflows(parts: AwsParts, clock: Clock): WorkflowAdapter {
  const client = new SFNClient(settings(parts));
  const describe = async (executionArn: string, abortSignal: AbortSignal): Promise<Execution | null> => {
    try {
      const told = await client.send(new DescribeExecutionCommand({ executionArn, includedData: 'METADATA_ONLY' }), {
        abortSignal,
      });
      return believe(executionArn, told);
    } catch (error) {
      if (error instanceof ExecutionDoesNotExist) return null;
      throw error;
    }
  };
  return {
    read: async (executionIds) => {
      const at = clock.now();
      const signal = AbortSignal.timeout(parts.readMs);
      const executions = new Map<string, Execution>();
      const waiting = [...new Set(executionIds)];
      const worker = async (): Promise<void> => {
        for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
          const execution = await describe(id, signal);
          if (execution !== null) executions.set(id, execution);
        }
      };
      await Promise.all(Array.from({ length: Math.min(PARALLEL, waiting.length) }, worker));
      return { at, executions };
    },
  };
}

/** In these states an execution has a stop time. */
const ENDED: readonly string[] = ['SUCCEEDED', 'FAILED', 'TIMED_OUT', 'ABORTED'];

interface DescribedExecution {
  executionArn?: string | undefined;
  status?: string | undefined;
  stopDate?: Date | undefined;
}

/** @throws AdapterError for an answer about another object, or an inconsistent one */
function believe(asked: string, { executionArn, status, stopDate }: DescribedExecution): Execution {
  if (executionArn !== asked)
    throw new AdapterError(
      `The control plane was asked about ${asked} and answered about ${executionArn ?? 'nothing'}.`,
    );
  if (typeof status !== 'string' || status === '')
    throw new AdapterError(`The control plane returned no status of ${asked}.`);
  if (stopDate !== undefined && Number.isNaN(stopDate.getTime()))
    throw new AdapterError(`The control plane returned no stop time of ${asked}.`);
  if (ENDED.includes(status) && stopDate === undefined)
    throw new AdapterError(`The control plane returned status ${status} of ${asked} without a stop time.`);
  return { status, stoppedAt: stopDate ?? null };
}

export function awsQueues(parts: AwsParts, queueNames: readonly string[]): QueueAdapter {
  const client = new SQSClient(settings(parts));
  /** The counts of a queue, and the name of its dead-letter queue. */
  const count = async (QueueName: string, account: string | undefined, abortSignal: AbortSignal): Promise<Counted> => {
    const { QueueUrl } = await client.send(
      new GetQueueUrlCommand({ QueueName, ...(account === undefined ? {} : { QueueOwnerAWSAccountId: account }) }),
      { abortSignal },
    );
    if (QueueUrl === undefined) throw new AdapterError(`The queue service returned no address of ${QueueName}.`);
    const { Attributes } = await client.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['All'] }), {
      abortSignal,
    });
    return believeCounts(QueueName, Attributes ?? {});
  };
  const readQueue = async (name: string, signal: AbortSignal): Promise<QueueCounts> => {
    const own = await count(name, undefined, signal);
    const dead = own.dead === null ? null : await count(own.dead.name, own.dead.account, signal);
    return {
      name,
      visible: own.visible,
      inFlight: own.inFlight,
      delayed: own.delayed,
      dlq: dead === null ? 0 : dead.visible + dead.inFlight + dead.delayed,
    };
  };
  return {
    read: () => {
      const signal = AbortSignal.timeout(parts.readMs);
      return Promise.all(queueNames.map((name) => readQueue(name, signal)));
    },
  };
}

interface Counted {
  visible: number;
  inFlight: number;
  delayed: number;
  dead: { name: string; account: string } | null;
}

type Attributes = Partial<Record<string, string>>;

/** @throws AdapterError */
function believeCounts(name: string, attributes: Attributes): Counted {
  if (attributes['QueueArn']?.split(':').at(-1) !== name)
    throw new AdapterError(`The queue service was asked about ${name} and answered about another queue.`);
  return {
    visible: countOf(name, attributes, 'ApproximateNumberOfMessages'),
    inFlight: countOf(name, attributes, 'ApproximateNumberOfMessagesNotVisible'),
    delayed: countOf(name, attributes, 'ApproximateNumberOfMessagesDelayed'),
    dead: deadLetterQueue(name, attributes['RedrivePolicy']),
  };
}

function countOf(name: string, attributes: Attributes, attribute: string): number {
  const told = attributes[attribute];
  const count = told !== undefined && /^\d{1,15}$/.test(told) ? Number(told) : null;
  if (count === null) throw new AdapterError(`The queue service returned no ${attribute} of ${name}.`);
  return count;
}

function deadLetterQueue(name: string, policy: string | undefined): Counted['dead'] {
  if (policy === undefined) return null;
  let target: unknown;
  try {
    const read: unknown = parseJson(policy);
    target =
      typeof read === 'object' && read !== null && 'deadLetterTargetArn' in read ? read.deadLetterTargetArn : null;
  } catch (error) {
    throw new AdapterError(`The redrive policy of ${name} cannot be read.`, { cause: error });
  }
  const [, account, dead] =
    typeof target === 'string' ? (/^arn:[^:]+:sqs:[^:]*:(\d+):([^:]+)$/.exec(target) ?? []) : [];
  if (account === undefined || dead === undefined)
    throw new AdapterError(`The redrive policy of ${name} names no dead-letter queue.`);
  return { name: dead, account };
}
