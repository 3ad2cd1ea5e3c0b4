/** The channels' requests of the last 24 hours (console API 4, D20). */
import { trafficOfDay } from '../../../agent/ledger/serving/traffic.ts';
import type { Traffic } from '../../../shared/wire/console/console.ts';
import { trafficSchema } from '../../../shared/wire/console/traffic.ts';
import { endpoint } from '../http/endpoint.ts';

export const dashboardHandlers = {
  'GET /api/v1/dashboard/traffic': endpoint({
    summary: 'Requests and errors of 24 hours by hour, channel and outcome, beside the day before',
    result: trafficSchema,
    handle: ({ context }): Traffic => trafficOfDay(context.ledger, context.clock.now()),
  }),
};
