import type { Command } from 'commander';
import type { CliIo, ExitCode } from './cli-io.ts';

/** The program that commands are added to, and what they need to run. */
export interface Shell {
  readonly program: Command;
  readonly io: CliIo;
  /** Sets a non-zero exit code for a command that runs to its end, such as a check that found something. */
  readonly fail: (code: ExitCode) => void;
}
