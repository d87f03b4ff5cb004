import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('../../apps/server/bin/ringfence.js', import.meta.url));
/** Far longer than any command takes in a small installation. */
const usualTimeoutMs = 60_000;

export interface CommandResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs one command of the command line until it exits, as an operator would. */
export function runCommand(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  timeoutMs = usualTimeoutMs,
): Promise<CommandResult> {
  return new Promise((resolve) => {
    const options = { env: { ...process.env, ...env }, timeout: timeoutMs };
    const child = execFile(process.execPath, [program, ...args], options, (_error, stdout, stderr) => {
      resolve({ code: child.exitCode ?? -1, stdout, stderr });
    });
  });
}
