/** The whole schema, by concept. Guards that must hold regardless of the code are triggers and checks of the database. */
import { accounts } from './baseline/accounts.ts';
import { audit } from './baseline/audit.ts';
import { explanations } from './baseline/explanations.ts';
import { inbox } from './baseline/inbox.ts';
import { inspection } from './baseline/inspection.ts';
import { policy } from './baseline/policy.ts';
import { review } from './baseline/review.ts';
import { search } from './baseline/search.ts';
import { serving } from './baseline/serving.ts';

export const sql = [inbox, explanations, search, review, policy, serving, accounts, audit, inspection].join('');
