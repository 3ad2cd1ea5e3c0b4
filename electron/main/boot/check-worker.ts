/** Runs `checkResources` on a separate thread: hashing some 130 MB would block windows and services. No Electron. */
import { parentPort, workerData } from 'node:worker_threads';
import { checkResources, type CheckOrder } from './resources.ts';

const { resources, manifest } = workerData as CheckOrder;
void checkResources(resources, manifest).then((faults) => parentPort?.postMessage(faults, []));
