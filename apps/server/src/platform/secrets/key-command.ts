import { spawnSync } from 'node:child_process';
import { secondMs } from '@ringfence/contract';
import { OperatorError } from '../observability/operator-error.ts';

/** A program that prints the master key, with its arguments. */
export interface KeyCommand {
  /** No shell reads it. The first is an absolute path. */
  readonly exec: readonly string[];
  readonly timeoutSeconds: number;
}

/** Two keys in hex, and some white space. */
const outputBytesMax = 1_024;
/** Characters of the program's own messages that an error contains. */
const toldMax = 500;

/**
 * Runs the program and returns what it printed. It gets this process's environment without what only the service needs:
 * its own variables and the database's address.
 *
 * @throws OperatorError when it cannot be started, fails, prints too much, or does not end in time; with its messages,
 *   never with its output
 */
export function runKeyCommand({ exec, timeoutSeconds }: KeyCommand): string {
  const [program = '', ...given] = exec;
  const ended = spawnSync(program, given, {
    encoding: 'utf8',
    env: ownEnvironment(),
    killSignal: 'SIGKILL',
    maxBuffer: outputBytesMax,
    shell: false,
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: timeoutSeconds * secondMs,
  });
  const why = failureOf(ended, timeoutSeconds);
  if (why === undefined) return ended.stdout;
  const said = told(ended.stderr);
  throw new OperatorError(
    `The command of masterKey.exec ${why}: ${program}${said === '' ? '' : `. It says: ${said}`}`,
    'Run it as the user of the service. It must print only the master key, as 64 hex digits or 44 characters of base64; during a rotation both keys, separated by a space.',
    { cause: ended.error },
  );
}

interface Ended {
  readonly error?: NodeJS.ErrnoException | undefined;
  readonly signal: string | null;
  readonly status: number | null;
  readonly stdout: string;
}

function failureOf(ended: Ended, timeoutSeconds: number): string | undefined {
  const { error, signal, status, stdout } = ended;
  const code = error?.code;
  if (code === 'ETIMEDOUT') return `did not end within ${timeoutSeconds} s`;
  if (code === 'ENOBUFS') return `printed more than ${outputBytesMax} bytes`;
  if (error !== undefined) return `could not be started (${code ?? error.message})`;
  if (signal !== null) return `was ended by ${signal}`;
  if (status !== 0) return `failed with exit code ${status}`;
  return stdout.length === 0 ? 'printed nothing' : undefined;
}

function ownEnvironment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !/^(?:RINGFENCE_|PG|DATABASE_URL$)/.test(name));
  return Object.fromEntries(kept);
}

/** One line, without anything that might be a key. */
function told(stderr: string | null): string {
  const line = (stderr ?? '').replaceAll(/[^\x20-\x7e]+/g, ' ').replaceAll(/[A-Za-z0-9+/_=-]{43,}/g, '…');
  return line.trim().slice(0, toldMax);
}
