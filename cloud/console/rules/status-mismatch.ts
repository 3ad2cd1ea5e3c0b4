/**
 * Ledger and control plane say different things about a run that both have seen the end of.
 *
 * Reads `runs[]`: `ledgerStatus`, `ledgerUpdated`, `cloudStatus`, `cloudStop`; `meta.cloud`. Absent `cloudStatus`, whether
 * or not `meta.cloud` is there: not measured. `meta.cloud` null: the look failed, unknown. `cloudStatus` null: this run was
 * looked for and not seen, unknown; a planning gap and a run that was skipped have no execution that could be seen, and no run with one: nothing to judge. A
 * mismatch is one only when the ledger was updated not earlier than `cloudStop`.
 */
import { finding, type Finding, type Rule } from './rule.ts';
import { cloudCourse, ledgerCourse, SKIPPED } from './reading/statuses.ts';

export const statusMismatch: Rule = {
  id: 'status-mismatch',
  version: 3,
  name: 'verdict.statusMismatch.name',
  meaning: 'verdict.statusMismatch.good',
  judge: ({ runs, meta }) => {
    if (runs === undefined) return { absent: '/runs' };
    if (meta.cloud === null) return { read: ['/meta/cloud'], judged: 0, findings: [], unseen: ['/meta/cloud'] };
    if (runs.every((run) => run.cloudStatus === undefined) && (meta.cloud === undefined || runs.length > 0))
      return { absent: meta.cloud === undefined ? '/meta/cloud' : '/runs/0/cloudStatus' };
    const findings: Finding[] = [];
    const unseen: string[] = [];
    const judged = runs.filter((run) => typeof run.cloudStatus === 'string').length;
    for (const [index, run] of runs.entries()) {
      const { id, ledgerStatus, ledgerUpdated, cloudStatus, cloudStop } = run;
      if (cloudStatus === null && run.noRunRow !== true && ledgerStatus !== SKIPPED)
        unseen.push(`/runs/${index}/cloudStatus`);
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
    return { read: ['/runs', ...(meta.cloud === undefined ? [] : ['/meta/cloud'])], judged, findings, unseen };
  },
};
