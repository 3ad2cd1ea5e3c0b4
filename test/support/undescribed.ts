import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { DescribedOperation } from '../../shared/service/http/openapi.ts';

/** Closing the server fails where an answer did not fit its description. */
export function refuseUndescribed(described: FastifyInstance, operations: readonly DescribedOperation[]): void {
  const faults: string[] = [];
  described.addHook('onSend', async ({ routeOptions }, { statusCode: status }, payload) => {
    const pattern = routeOptions.url?.replaceAll(/:(\w+)/g, '{$1}');
    const operation = operations.find(({ path }) => path === pattern);
    if (operation === undefined) return;
    const { result, failures } = operation;
    const failed = { isSuccess: z.literal(false), errors: z.array(z.unknown()).optional() };
    const envelope = z.strictObject({
      code: z.string(),
      message: z.string(),
      ...(status === 200 ? { isSuccess: z.literal(true), result: result ?? z.never() } : failed),
    });
    if (status === 304 || (status === 200 && operation.isEnveloped === false)) return;
    const { error } = envelope.safeParse(JSON.parse(String(payload)));
    if (error !== undefined || (status !== 200 && !failures.includes(status)))
      faults.push(`${pattern} answered ${status} with what it does not describe: ${String(error)}`);
  });
  described.addHook('onClose', async () => {
    if (faults.length > 0) throw new Error(faults.join('\n'));
  });
}
