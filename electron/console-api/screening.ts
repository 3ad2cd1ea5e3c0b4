/** The compliance policy as the console reads it (document 1 section 4). */
import { activePolicy } from '../../agent/ledger/policy-versions.ts';
import { disclaimerText } from '../../agent/screening/policy.ts';
import type { Disclaimer } from '../../shared/wire/console.ts';
import { disclaimerSchema } from '../../shared/wire/console/policy.ts';
import { endpoint } from './endpoint.ts';

export const screeningHandlers = {
  'GET /api/v1/screening/disclaimer': endpoint({
    summary: 'The disclaimer of the active policy',
    result: disclaimerSchema,
    handle: ({ context }): Disclaimer => {
      const active = activePolicy(context.ledger);
      return active === undefined
        ? { disclaimer: null, policyVersion: null }
        : { disclaimer: disclaimerText(active.snapshot), policyVersion: active.version };
    },
  }),
};
