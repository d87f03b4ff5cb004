import type { Command } from 'commander';
import type { CliIo, ExitCode } from './cli-io.ts';

/** What commands are added to. */
export interface Shell {
  readonly program: Command;
  readonly io: CliIo;
  /** Ends the command with another code than 0 although it ran to its end: a check that found something. */
  readonly fail: (code: ExitCode) => void;
}
