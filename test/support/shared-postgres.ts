/** One PostgreSQL server for all test files of a process. It ends with the process; the runner removes its folder. */
import { alone, nameOf, startPostgres, type PostgresServer } from './postgres.ts';

let starting: Promise<PostgresServer> | undefined;

/** Databases on the server of this process; `stop` drops the caller's and leaves the server to the other files. */
export async function sharedPostgres(): Promise<PostgresServer> {
  const server = await (starting ??= startPostgres());
  const made: string[] = [];
  return {
    createDatabase: async (template) => {
      const url = await server.createDatabase(template);
      made.push(url);
      return url;
    },
    stop: async () => {
      for (const url of made.splice(0))
        await alone(Number(new URL(url).port), `drop database if exists ${nameOf(url)} with (force)`);
    },
  };
}
