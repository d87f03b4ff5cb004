import type { ConfigurationOptions, Environment } from '../config/environment.ts';
import type { RunningChange } from './changing-commands.ts';

/** What the command line stands on, so that a test can stand in for a terminal. */
export interface CliIo {
  readonly environment: Environment;
  /** The working folder. */
  readonly folder: string;
  /** A person reads the output. */
  readonly isTerminal: boolean;
  /** Results, on standard output. */
  write(text: string): void;
  /** Everything else, on standard error. */
  complain(text: string): void;
  /** All of standard input. */
  readInput(): Promise<string>;
  now(): number;
  /** What the command that runs changes; `undefined`: nothing that the audit log keeps. */
  readonly change?: RunningChange | undefined;
  /** Aborted when the person has had enough (SIGINT, SIGTERM). */
  readonly stop: AbortSignal;
}

/** Options that every command on an installation takes. */
export interface CommonOptions extends ConfigurationOptions {
  readonly json?: boolean;
}

/** The codes that a command ends with. */
export const exitCodes = { ok: 0, failed: 1, usage: 2 } as const;
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** A command line that makes no sense: shown with a hint to `--help`, ends with 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
