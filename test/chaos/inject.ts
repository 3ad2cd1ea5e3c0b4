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

/** @returns whether it took effect: a service may be down that should be frozen, and a backup may have found no space */
export async function inject(system: System, fault: Fault): Promise<boolean> {
  const { vendor, hosts, recorder } = system;
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
      return true;
    }
    case 'freeze': {
      const service = serviceOf(system, fault.target);
      return service.exclusive(() => service.freeze(fault.forMs));
    }
    case 'network': {
      const { between } = fault;
      const change = (weather: Weather): void => {
        if ('cloud' in between) vendor.change(between, weather);
        else hostOf(between.tenant).networks[between.path].change(weather);
      };
      await during(
        between,
        fault.forMs,
        () => change(fault.weather),
        () => change(FINE),
      );
      return fault.weather.kind !== 'CLEAR' || fault.weather.delayMs > 0;
    }
    case 'fail-over':
      await vendor.failOver();
      return true;
    case 'full-disk': {
      const host = hostOf(fault.tenant);
      await during(
        { disk: fault.tenant },
        fault.forMs,
        () => host.fillDisk(),
        () => host.emptyDisk(),
      );
      return true;
    }
    case 'clock': {
      const { clock } = 'cloud' in fault.host ? vendor : hostOf(fault.host.tenant);
      await during(
        { clock: fault.host },
        fault.forMs,
        () => clock.set(fault.seconds),
        () => clock.set(0),
      );
      return true;
    }
    case 'policy':
      return changePolicy(recorder, new Person(hostOf(fault.tenant), 'reviewer'), `금지어${fault.atMs}`);
    case 'switch': {
      const admin = new Person(hostOf(fault.tenant), 'admin');
      const [, [channel]] = CHANNELS;
      await switchChannel(recorder, admin, channel, false);
      await pause(1_500);
      await switchChannel(recorder, admin, channel, true);
      return true;
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
      return true;
    }
    case 'backup':
      return hostOf(fault.tenant).makeBackup();
    case 'restore':
      return hostOf(fault.tenant).restore(fault);
    case 'new-certificate':
      await renew(hostOf(fault.tenant), vendor);
      return true;
    case 'server-certificate':
      await replaceServerCertificate(vendor);
      return true;
    case 'signing-key':
      await replaceSigningKey(vendor);
      return true;
    case 'authority':
      await replaceAuthority(hosts, vendor);
      return true;
  }
}

/** How many faults of one kind a place has at the moment: the last that ends brings the good state back. */
const present = new Map<string, number>();

async function during(place: object, forMs: number, begin: () => void, end: () => void): Promise<void> {
  const key = JSON.stringify(place);
  present.set(key, (present.get(key) ?? 0) + 1);
  begin();
  await pause(forMs);
  const left = (present.get(key) ?? 1) - 1;
  present.set(key, left);
  if (left === 0) end();
}

function serviceOf({ vendor, hosts }: System, target: Target): Supervised {
  const service = 'cloud' in target ? vendor.services[target.cloud] : hosts[target.tenant]?.services[target.service];
  if (service === undefined) throw new Error(`no part ${JSON.stringify(target)}`);
  return service;
}
