/** The context of a command of `causeway-agent`. */
export interface ServiceContext {
  env: NodeJS.ProcessEnv;
  platform: NodeJS.Platform;
  /** The file of the running command: the parts lie around it. */
  own: string;
  now(): Date;
  print(line: string): void;
  complain(line: string): void;
}
