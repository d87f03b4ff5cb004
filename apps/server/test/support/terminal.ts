import type { CliIo } from '../../src/cli/cli-io.ts';
import { runCli } from '../../src/cli/run-cli.ts';

/** Output and exit code of a command line. */
export interface Said {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

export interface Terminal {
  readonly environment?: Readonly<Record<string, string>>;
  readonly folder?: string;
  /** Text typed or piped to standard input. */
  readonly input?: string;
  readonly stop?: AbortSignal;
}

/** Runs `ringfence …` as a shell would; words are separated by single spaces. */
export function ringfence(line: string | readonly string[], terminal: Terminal = {}): Promise<Said> {
  let [out, err] = ['', ''];
  const io: CliIo = {
    environment: terminal.environment ?? {},
    folder: terminal.folder ?? '/nowhere',
    isTerminal: false,
    write: (text) => {
      out += text;
    },
    complain: (text) => {
      err += text;
    },
    readInput: () => Promise.resolve(terminal.input ?? ''),
    now: Date.now,
    stop: terminal.stop ?? new AbortController().signal,
  };
  const args = typeof line === 'string' ? line.split(' ') : line;
  return runCli(args, io).then((code) => ({ code, out, err }));
}
