import { systemClock } from '../../time/clock.ts';
import { complain, print } from '../terminal.ts';

/** The context of a command of `causeway-agent` or `causeway-cloud`. */
export interface ServiceContext {
  env: NodeJS.ProcessEnv;
  platform: NodeJS.Platform;
  /** The file of the running command: the parts lie around it. */
  own: string;
  now(): Date;
  print(line: string): void;
  complain(line: string): void;
}

/** That of this process. @param own the file of the running command */
export const processContext = (own: string): ServiceContext => ({
  env: process.env,
  platform: process.platform,
  own,
  now: () => systemClock.now(),
  print,
  complain,
});
