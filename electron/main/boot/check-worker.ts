/** `checkResources` on a thread of its own: hashing some 130 MB would hold up windows and services alike. No Electron. */
import { parentPort, workerData } from 'node:worker_threads';
import { checkResources, type CheckOrder } from './resources.ts';

const { resources, manifest } = workerData as CheckOrder;
void checkResources(resources, manifest).then((faults) => parentPort?.postMessage(faults, []));
