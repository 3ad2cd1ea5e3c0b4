/**
 * Ledger and control plane say different things about a run that both have seen the end of.
 *
 * Reads `runs[]`: `ledgerStatus`, `ledgerUpdated`, `cloudStatus`, `cloudStop`; `meta.cloud`. Absent `cloudStatus` and
 * `meta.cloud`: not measured. `meta.cloud` null: the look failed, unknown. `cloudStatus` null: this run was not observed,
 * and nothing is claimed about it. A mismatch is one only when the ledger was updated not earlier than `cloudStop`.
 */
import { finding, type Finding, type Rule } from './rule.ts';
import { cloudCourse, ledgerCourse } from './statuses.ts';

export const statusMismatch: Rule = {
  id: 'status-mismatch',
  version: 1,
  meaning: 'verdict.statusMismatch.good',
  judge: ({ runs, meta }) => {
    if (runs === undefined) return { absent: '/runs' };
    if (meta.cloud === null) return { read: ['/meta/cloud'], findings: [], unseen: ['/meta/cloud'] };
    if (meta.cloud === undefined && runs.every((run) => run.cloudStatus === undefined))
      return { absent: '/meta/cloud' };
    const findings: Finding[] = [];
    const unseen: string[] = [];
    for (const [index, { id, ledgerStatus, ledgerUpdated, cloudStatus, cloudStop }] of runs.entries()) {
      if (typeof cloudStatus !== 'string' || typeof cloudStop !== 'string' || ledgerUpdated === null) continue;
      if (Date.parse(ledgerUpdated) < Date.parse(cloudStop)) continue;
      const read = ['ledgerStatus', 'ledgerUpdated', 'cloudStatus', 'cloudStop'].map(
        (name) => `/runs/${index}/${name}`,
      );
      const ledger = ledgerCourse(ledgerStatus);
      const cloud = cloudCourse(cloudStatus);
      if (ledger === null || cloud === null)
        unseen.push(`/runs/${index}/${ledger === null ? 'ledgerStatus' : 'cloudStatus'}`);
      else if (ledger !== cloud)
        findings.push(
          finding(
            'BAD',
            'verdict.statusMismatch.differs',
            { run: id, ledger: ledgerStatus ?? '', cloud: cloudStatus },
            ...read,
          ),
        );
    }
    return { read: ['/runs', '/meta/cloud'], findings, unseen };
  },
};
