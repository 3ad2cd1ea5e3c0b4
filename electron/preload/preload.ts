/**
 * The program's interface for its pages. Status page and setup page get the few calls that they need. The console gets
 * calls to report its work, colours and language, to offer its acts for the menus, and for a sign-in in the system's
 * browser; for the rest it has the console API.
 */
import { contextBridge, ipcRenderer } from 'electron';
import type { PushChannel, Pushes, RequestChannel, Requests } from '../main/ipc/channels.ts';
import { shellPageOf } from '../main/security/origins.ts';
import type { ConsoleProgram } from '../../shared/wire/console/program.ts';
import type { CausewaySetup, CausewayShell } from './shell.ts';

function ask<C extends RequestChannel>(channel: C, ...args: Requests[C]['args']): Promise<Requests[C]['answer']> {
  return ipcRenderer.invoke(channel, ...args);
}

function listen<C extends PushChannel>(channel: C, heard: (value: Pushes[C]) => void): void {
  ipcRenderer.on(channel, (_event, value: Pushes[C]) => heard(value));
}

const page = shellPageOf(location.href);
if (page === 'status') {
  const shell: CausewayShell = {
    state: () => ask('shell:state'),
    onState: (heard) => listen('shell:state-changed', heard),
    seen: () => ask('shell:seen'),
    retry: async () => {
      await ask('shell:retry');
    },
  };
  contextBridge.exposeInMainWorld('causeway', shell);
} else if (page === 'setup') {
  const setup: CausewaySetup = {
    read: () => ask('setup:read'),
    save: (settings) => ask('setup:save', settings),
  };
  contextBridge.exposeInMainWorld('causewaySetup', setup);
} else {
  let onAct = (_id: string): void => undefined;
  let onLock = (): void => undefined;
  listen('console:act', (id) => onAct(id));
  listen('console:lock', () => onLock());
  const program: ConsoleProgram = {
    report: async (report) => {
      await ask('console:report', report);
    },
    appear: async (scheme) => {
      await ask('console:appear', scheme);
    },
    speak: async (language) => {
      await ask('console:speak', language);
    },
    offerMenu: async (acts) => {
      await ask('console:menu', [...acts]);
    },
    onAct: (heard) => {
      onAct = heard;
    },
    onLock: (heard) => {
      onLock = heard;
    },
    printPdf: () => ask('console:print'),
    signIn: {
      listen: (port) => ask('sign-in:listen', port),
      open: (address) => ask('sign-in:open', address),
    },
  };
  contextBridge.exposeInMainWorld('causewayProgram', program);
}
