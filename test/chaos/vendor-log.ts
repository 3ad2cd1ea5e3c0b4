/** The vendor's audit log at the end of a run: its checker finds nothing, and refuses the log while one row is altered. */
import { Client } from 'pg';

/** The database lets nobody change a row, but for a superuser who switches its triggers off. */
async function setActor(url: string, position: number, actor: string): Promise<string> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query('SET session_replication_role = replica');
    const { rows } = await client.query<{ actor: string }>('SELECT actor FROM admin_activity_log WHERE position = $1', [
      position,
    ]);
    const { rowCount } = await client.query('UPDATE admin_activity_log SET actor = $2 WHERE position = $1', [
      position,
      actor,
    ]);
    if (rows[0] === undefined || rowCount !== 1) throw new Error(`the vendor's log has no row ${position}`);
    return rows[0].actor;
  } finally {
    await client.end();
  }
}

/**
 * Alters the run's own database and mends it again: the clouds write to this log and do not read it.
 *
 * @param url of the database at the host that takes writes
 * @param verify the cloud's check of its log; fails where that ends with another code than 0
 */
export async function verifyVendorLog(url: string, verify: () => Promise<string>): Promise<string[]> {
  const fault = (): Promise<string | null> => verify().then(() => null, String);
  const breaches: string[] = [];
  const before = await fault();
  if (before !== null) breaches.push(`the vendor's audit log: ${before}`);
  // Every run has more rows than one: of its keys, its certificates and its tenants.
  const position = 2;
  const actor = await setActor(url, position, 'nobody');
  const altered = await fault();
  if (altered?.includes('audit verify ended with 1') !== true)
    breaches.push(`the vendor's audit verify does not see an altered row: ${altered}`);
  await setActor(url, position, actor);
  const after = await fault();
  if (before === null && after !== null) breaches.push(`the vendor's audit log, when its row is back: ${after}`);
  return breaches;
}
