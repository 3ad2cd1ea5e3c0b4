/** All schemas of the operator API's answers: the names in its description come from here. */
export * from '../bundle.ts';
export * from '../console/explanation.ts';
export * from '../facts.ts';
export * from './analyses.ts';
export * from './failures.ts';
export * from './minute.ts';
export * from './runs.ts';
export * from './session.ts';
export * from './sources.ts';
export * from './tenants.ts';
