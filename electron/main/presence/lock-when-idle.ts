/** The idle lock on this computer: its input, its sleep, the real time. */
import { powerMonitor } from 'electron';
import { systemClock } from '../../../shared/time/clock.ts';
import { timerSchedule } from '../services/schedule.ts';
import type { SettingsStore } from '../settings/settings-store.ts';
import { IdleLock } from './idle-lock.ts';

export function lockWhenIdle(settings: SettingsStore, lock: () => void): void {
  const watch = new IdleLock({
    idleSeconds: () => powerMonitor.getSystemIdleTime(),
    minutes: () => settings.inForce.lockMinutes,
    lock,
    clock: systemClock,
    schedule: timerSchedule,
  });
  watch.look();
  powerMonitor.on('resume', watch.look);
}
