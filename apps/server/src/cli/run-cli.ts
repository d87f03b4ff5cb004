import { Problem } from '@ringfence/contract';
import { CommanderError } from 'commander';
import { ConfigurationError } from '../config/mistakes.ts';
import { OperatorError } from '../operations/operator-error.ts';
import { type CliIo, type ExitCode, exitCodes, UsageError } from './cli-io.ts';
import { buildProgram } from './program.ts';

/**
 * Runs one command line, without the name of the program.
 *
 * @returns the exit code: 0 done, 1 refused or failed, 2 wrong usage
 */
export async function runCli(args: readonly string[], io: CliIo): Promise<ExitCode> {
  let code: ExitCode = exitCodes.ok;
  const program = buildProgram(io, (failed) => {
    code = failed;
  });
  try {
    await program.parseAsync(args, { from: 'user' });
    return code;
  } catch (error) {
    if (error instanceof CommanderError) {
      const shownOnRequest = error.code === 'commander.helpDisplayed' || error.code === 'commander.version';
      return shownOnRequest ? exitCodes.ok : exitCodes.usage;
    }
    return tell(error, io);
  }
}

/** Says what went wrong, as far as the person can do something about it; else with all that helps whoever can. */
function tell(error: unknown, io: CliIo): ExitCode {
  if (error instanceof UsageError) {
    io.complain(`${error.message}\n`);
    return exitCodes.usage;
  }
  if (error instanceof OperatorError) {
    io.complain(`${error.message}\n${error.mend}\n`);
  } else if (error instanceof ConfigurationError) {
    io.complain(`${error.what} is wrong:\n${error.message.replaceAll(/^/gm, '  ')}\n`);
  } else if (error instanceof Problem) {
    io.complain(`${error.detail}\n`);
  } else {
    io.complain(
      `${error instanceof Error ? (error.stack ?? error.message) : String(error)}\nThis should not happen. Please report it.\n`,
    );
  }
  return exitCodes.failed;
}
