/** The schemas of what the operator API answers, all of them: the names of its description come from here. */
export * from './bundle.ts';
export * from './console/explanation.ts';
export * from './facts.ts';
export * from './operator/analyses.ts';
export * from './operator/minute.ts';
export * from './operator/runs.ts';
export * from './operator/session.ts';
export * from './operator/sources.ts';
export * from './operator/tenants.ts';
