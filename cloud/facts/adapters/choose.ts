/** Chooses the adapters by the variables (D26). */
import { ConfigurationError } from '../../../shared/service/variables.ts';
import type { Clock } from '../../../shared/time/clock.ts';
import type { AdapterConfig } from '../../config/config.ts';
import { databaseClock } from '../../pipeline/snapshot.ts';
import type { Store } from '../../store/open.ts';
import { AWS_ANSWER_MS, AWS_READ_MS, awsQueues, awsWorkflows, type AwsParts } from './aws.ts';
import { databaseQueues, databaseWorkflows } from './database.ts';
import type { QueueAdapter, WorkflowAdapter } from './adapters.ts';

type Kind = 'none' | 'database' | { aws: AwsParts };

export interface AdapterKinds {
  workflows: Kind;
  queues: Kind;
  queueNames: readonly string[];
}

/** @throws ConfigurationError with a sentence for each variable that `aws` needs and that is missing */
export function readAdapters(config: AdapterConfig, embedded: boolean): AdapterKinds {
  const unset = embedded ? 'database' : 'none';
  const workflows = config.CAUSEWAY_WORKFLOW_SOURCE ?? unset;
  const queues = config.CAUSEWAY_QUEUE_SOURCE ?? unset;
  const sentences: string[] = [];
  const region = config.CAUSEWAY_AWS_REGION ?? '';
  if ((workflows === 'aws' || queues === 'aws') && region === '')
    sentences.push('CAUSEWAY_AWS_REGION is missing: a source that is aws needs the region to look into.');
  if (queues === 'aws' && config.CAUSEWAY_AWS_QUEUES === undefined)
    sentences.push('CAUSEWAY_AWS_QUEUES is missing: name the queues to look at.');
  if (sentences.length > 0) throw new ConfigurationError(sentences);
  const endpoint = config.CAUSEWAY_AWS_ENDPOINT?.href ?? null;
  const aws = { aws: { region, endpoint, readMs: AWS_READ_MS, answerMs: AWS_ANSWER_MS } };
  return {
    workflows: workflows === 'aws' ? aws : workflows,
    queues: queues === 'aws' ? aws : queues,
    queueNames: config.CAUSEWAY_AWS_QUEUES ?? [],
  };
}

export function chooseAdapters(
  { workflows, queues, queueNames }: AdapterKinds,
  store: Store,
  clock: Clock,
): { workflows?: WorkflowAdapter; queues?: QueueAdapter } {
  return {
    ...(workflows === 'none'
      ? {}
      : {
          workflows:
            workflows === 'database' ? databaseWorkflows(store, databaseClock) : awsWorkflows(workflows.aws, clock),
        }),
    ...(queues === 'none'
      ? {}
      : { queues: queues === 'database' ? databaseQueues(store) : awsQueues(queues.aws, queueNames) }),
  };
}
