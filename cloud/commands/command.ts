/** The shape of a command of the cloud. */
export interface CommandContext {
  /** Arguments after the command's name. */
  args: string[];
  env: Record<string, string | undefined>;
  print(line: string): void;
}

export interface Command {
  /** The forms of its call, one line each. */
  usage: string[];
  about: string;
  help(): string;
  /** @returns the exit code */
  run(context: CommandContext): Promise<number>;
}

/** The command line is wrong; exit code 2. */
export class UsageError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'UsageError';
  }
}
