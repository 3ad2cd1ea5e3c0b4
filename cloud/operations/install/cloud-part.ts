/** The cloud as a service of systemd: what it may have, and where its package and its settings lie. */
import path from 'node:path';
import { SMALL_NURSERY, type Program, type ServicePart } from '../../../shared/service/install/part.ts';

const HOME = '/var/lib/causeway-cloud';
const PKI = `${HOME}/cloud/pki`;

export const CLOUD: ServicePart = {
  name: 'cloud',
  command: 'causeway-cloud',
  argument: '',
  about: 'Causeway cloud (hands each tenant its explanations)',
  user: 'causeway-cloud',
  schedule: null,
  bounds: { memory: '6G', tasks: 128, files: 131_072 },
  flags: [SMALL_NURSERY],
  settings: {
    CAUSEWAY_HOME: HOME,
    CAUSEWAY_SYNC_CERT: `${PKI}/server.crt`,
    CAUSEWAY_SYNC_KEY: `${PKI}/server.key`,
    CAUSEWAY_SYNC_CLIENT_CA: `${PKI}/ca.crt`,
    CAUSEWAY_CLOUD_METRICS_LISTEN: '127.0.0.1:4170',
  },
  writes: [],
  writesIn: ['CAUSEWAY_HOME', 'CAUSEWAY_CHECKPOINT_FOLDER'],
};

/** @param own the file of the running command: the cloud's bundle lies beside it, in a checkout in its own folder */
export function cloudProgram(own: string): Program {
  const node = process.execPath;
  const folder = path.dirname(own);
  if (own.endsWith('.ts')) {
    const project = path.resolve(folder, '../../..');
    const notify = path.join(project, 'shared/service/install/notify.ts');
    return { node, entry: path.join(project, 'cloud/main.ts'), args: [], notify, pages: null };
  }
  return {
    node,
    entry: path.join(folder, 'cloud.js'),
    args: [],
    notify: path.join(folder, 'notify.js'),
    pages: { variable: 'CAUSEWAY_OPERATOR_PAGES', folder: path.join(folder, '..', 'console') },
  };
}
