import { type FieldError, Problem } from '@ringfence/contract';
import { LogUnavailableError } from '@ringfence/log';
import { CommanderError } from 'commander';
import { ConfigurationError } from '../platform/shapes/mistakes.ts';
import { isDatabaseUnavailable } from '../platform/observability/database-unavailable.ts';
import { OperatorError } from '../platform/observability/operator-error.ts';
import { type CliIo, type ExitCode, exitCodes, UsageError } from './cli-io.ts';
import { shown, shownLines } from './print.ts';
import { buildProgram } from './program.ts';

/**
 * Runs one command line; `args` does not include the program's name.
 *
 * @returns the exit code: 0 success, 1 refused or failed, 2 wrong usage
 */
export async function runCli(args: readonly string[], io: CliIo): Promise<ExitCode> {
  let code: ExitCode = exitCodes.ok;
  const noteFailure = (failed: ExitCode): void => {
    code = failed;
  };
  const program = await buildProgram(io, noteFailure, args[0]);
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

/** Prints an error: a message that the user can act on, or the stack trace if the error is unexpected. */
function tell(error: unknown, io: CliIo): ExitCode {
  if (error instanceof UsageError) {
    io.complain(`${error.message}\n`);
    return exitCodes.usage;
  }
  if (error instanceof OperatorError) {
    // The message may quote a file, so control characters are removed.
    io.complain(`${shownLines(`${error.message}\n${error.mend}`)}\n`);
  } else if (error instanceof ConfigurationError) {
    io.complain(`${error.what} is wrong:\n${shownLines(error.message).replaceAll(/^/gm, '  ')}\n`);
  } else if (error instanceof Problem) {
    io.complain(shownLines(refusalText(error)));
  } else if (isDatabaseUnavailable(error) || error instanceof LogUnavailableError) {
    io.complain(
      `The database connection was lost while the command ran: ${shown((error as Error).message)}.\nThe last step may or may not have been applied. Check the database (ringfence doctor), then run the command again.\n`,
    );
  } else {
    io.complain(
      `${error instanceof Error ? (error.stack ?? error.message) : String(error)}\nThis is a bug. Please report it.\n`,
    );
  }
  return exitCodes.failed;
}

/** The problem's detail, followed by one line for each field error that the detail does not already contain. */
function refusalText({ detail, errors }: Problem): string {
  const lines = errors.map((error) => memberLine(error, detail)).filter((line) => line !== undefined);
  return [detail, ...lines].map((line) => `${line}\n`).join('');
}

function memberLine({ pointer, detail, expected }: FieldError, said: string): string | undefined {
  const wrong = said.includes(detail) ? '' : detail.replace(/\.$/, '');
  const wanted = expected === '' || said.includes(expected) ? '' : `expected ${expected}`;
  if (wrong === '' && wanted === '') return undefined;
  // Dots instead of slashes, as in the errors of the configuration file: `limits.perDay`.
  const member = pointer.replace(/^\//, '').replaceAll('/', '.');
  const told = [wrong, wanted].filter((part) => part !== '').join('; ');
  return `  ${member === '' ? told : `${member}: ${told}`}`;
}
