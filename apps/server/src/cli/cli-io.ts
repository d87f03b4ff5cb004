import type { ConfigurationOptions } from '../config/environment.ts';
import type { Environment } from '../config/variable-names.ts';
import type { RunningChange } from './changing-commands.ts';

/** The command line's surroundings, which a test can replace. */
export interface CliIo {
  readonly environment: Environment;
  /** The working folder. */
  readonly folder: string;
  /** Whether the output goes to a terminal. */
  readonly isTerminal: boolean;
  /** Results, on standard output. */
  write(text: string): void;
  /** Everything else, on standard error. */
  complain(text: string): void;
  /** All of standard input. */
  readInput(): Promise<string>;
  now(): number;
  /** What the running command changes; `undefined` if the audit log does not record it. */
  readonly change?: RunningChange | undefined;
  /** Aborted on SIGINT or SIGTERM. */
  readonly stop: AbortSignal;
}

/** Options of every command that works on an installation. */
export interface CommonOptions extends ConfigurationOptions {
  readonly json?: boolean;
}

/** Options of every command about one workspace. */
export interface WorkspaceOptions extends CommonOptions {
  readonly workspace?: string | undefined;
}

/** The exit codes of commands. */
export const exitCodes = { ok: 0, failed: 1, usage: 2 } as const;
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** An invalid command line: exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
