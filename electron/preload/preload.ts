/**
 * What pages see of the program. The status page gets the few calls that it needs. The console gets one
 * to tell how its work stands; it learns nothing of the program, and has the console API for the rest.
 */
import { contextBridge, ipcRenderer } from 'electron';
import type { PushChannel, Pushes, RequestChannel, Requests } from '../main/channels.ts';
import { isShellPage } from '../main/origins.ts';
import type { CausewayProgram, CausewayShell } from './shell.ts';

function ask<C extends RequestChannel>(channel: C, ...args: Requests[C]['args']): Promise<Requests[C]['answer']> {
  return ipcRenderer.invoke(channel, ...args);
}

function listen<C extends PushChannel>(channel: C, heard: (value: Pushes[C]) => void): void {
  ipcRenderer.on(channel, (_event, value: Pushes[C]) => heard(value));
}

if (isShellPage(location.href)) {
  const shell: CausewayShell = {
    state: () => ask('shell:state'),
    onState: (heard) => listen('shell:state-changed', heard),
    retry: async () => {
      await ask('shell:retry');
    },
  };
  contextBridge.exposeInMainWorld('causeway', shell);
} else {
  const program: CausewayProgram = {
    report: async (report) => {
      await ask('console:report', report);
    },
  };
  contextBridge.exposeInMainWorld('causewayProgram', program);
}
