/** Whether this run is that of `npm run test:deep`. */

/** Set to 1 by it. */
export const DEEP = 'CAUSEWAY_TEST_DEEP';
export const isDeep = process.env[DEEP] === '1';
