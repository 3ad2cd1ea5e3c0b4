/** Tables of the serving scope. Booleans are 0 and 1. */
import type { Generated } from 'kysely';

export interface ServingScopeTable {
  scope_type: 'MARKET' | 'CHANNEL' | 'INSTRUMENT' | 'SECTOR';
  scope_key: string;
  enabled: number;
  changed_by: string;
  changed_at: string;
  version: Generated<number>;
}

/** Exists while the switch is off and somebody has given a reason or confirmed it (D227). */
export interface ScopeExclusionTable {
  scope_type: ServingScopeTable['scope_type'];
  scope_key: string;
  reason: string | null;
  confirmed_reason: string | null;
  confirmed_by: string | null;
  confirmed_at: string | null;
}
