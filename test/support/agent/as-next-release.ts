/** Makes this process one of the next release of the program: to be loaded before the ledger's modules. */
import { STEPS } from '../../../agent/ledger/storage/migrations/index.ts';
import { ADDED } from './next-release.ts';

(STEPS as string[]).push(...ADDED);
