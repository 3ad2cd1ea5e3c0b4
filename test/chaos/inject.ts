/** Carries out one fault of the schedule. Resolves when it is over and its part works again. */
import { setTimeout as pause } from 'node:timers/promises';
import { renew, replaceAuthority, replaceServerCertificate, replaceSigningKey } from './keys.ts';
import { changePolicy, CHANNELS, Person, switchChannel } from './people.ts';
import { FINE, type Weather } from './proxy.ts';
import type { Recorder } from './recorder.ts';
import type { Fault, Target } from './schedule.ts';
import type { Supervised } from './supervised.ts';
import { HINDRANCES, type TenantHost } from './tenant-host.ts';
import type { Vendor } from './vendor.ts';

export interface System {
  vendor: Vendor;
  hosts: TenantHost[];
  recorder: Recorder;
}

/** Why a fault of this kind cannot be injected here; null: it can. */
export const hindranceOf = (kind: Fault['kind']): string | null =>
  kind in HINDRANCES ? HINDRANCES[kind as keyof typeof HINDRANCES] : null;

export async function inject(system: System, fault: Fault): Promise<void> {
  const { vendor, hosts, recorder } = system;
  if (hindranceOf(fault.kind) !== null) return;
  const hostOf = (tenant: number): TenantHost => {
    const host = hosts[tenant];
    if (host === undefined) throw new Error(`no tenant ${tenant}`);
    return host;
  };
  switch (fault.kind) {
    case 'kill':
    case 'restart': {
      const service = serviceOf(system, fault.target);
      await service.exclusive(async () => {
        await (fault.kind === 'kill' ? service.kill() : service.stop());
        await pause(fault.forMs);
        await service.start();
      });
      return;
    }
    case 'freeze': {
      const service = serviceOf(system, fault.target);
      await service.exclusive(() => service.freeze(fault.forMs));
      return;
    }
    case 'network': {
      const { between } = fault;
      const change = (weather: Weather): void => {
        if ('cloud' in between) vendor.change(between.cloud, weather);
        else hostOf(between.tenant).networks[between.path].change(weather);
      };
      change(fault.weather);
      await pause(fault.forMs);
      change(FINE);
      return;
    }
    case 'fail-over':
      await vendor.failOver();
      return;
    case 'full-disk': {
      const host = hostOf(fault.tenant);
      host.fillDisk();
      await pause(fault.forMs);
      host.emptyDisk();
      return;
    }
    case 'clock': {
      const host = hostOf(fault.tenant);
      host.setClock(fault.seconds);
      await pause(fault.forMs);
      host.setClock(0);
      return;
    }
    case 'policy':
      await changePolicy(recorder, new Person(hostOf(fault.tenant), 'reviewer'), `금지어${fault.atMs}`);
      return;
    case 'switch': {
      const admin = new Person(hostOf(fault.tenant), 'admin');
      const [, [channel]] = CHANNELS;
      await switchChannel(recorder, admin, channel, false);
      await pause(1_500);
      await switchChannel(recorder, admin, channel, true);
      return;
    }
    case 'restart-host': {
      const services = Object.values(hostOf(fault.tenant).services);
      await Promise.all(
        services.map((service) =>
          service.exclusive(async () => {
            await service.kill();
            await service.start();
          }),
        ),
      );
      return;
    }
    case 'backup':
      await hostOf(fault.tenant).makeBackup();
      return;
    case 'restore':
      await hostOf(fault.tenant).restore(fault);
      return;
    case 'new-certificate':
      await renew(hostOf(fault.tenant), vendor);
      return;
    case 'server-certificate':
      await replaceServerCertificate(vendor);
      return;
    case 'signing-key':
      await replaceSigningKey(vendor);
      return;
    case 'authority':
      await replaceAuthority(hosts, vendor);
      return;
  }
}

function serviceOf({ vendor, hosts }: System, target: Target): Supervised {
  const service = 'cloud' in target ? vendor.services[target.cloud] : hosts[target.tenant]?.services[target.service];
  if (service === undefined) throw new Error(`no part ${JSON.stringify(target)}`);
  return service;
}
