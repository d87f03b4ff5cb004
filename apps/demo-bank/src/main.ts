import { help, readCommandLine } from './command-line.ts';
import { runDemo } from './demo.ts';
import { openScreen } from './screen/screen.ts';

/** What a shell expects of a program that was ended by Ctrl+C. */
const interruptedExitCode = 130;

process.exitCode = await main(process.argv.slice(2));

async function main(args: readonly string[]): Promise<number> {
  const options = readCommandLine(args);
  if (options === 'help') {
    process.stdout.write(help);
    return 0;
  }
  if ('wrong' in options) {
    process.stderr.write(`${options.wrong}\n\n${help}`);
    return 2;
  }
  const ending = new AbortController();
  // Asked again, it still ends in order: a service that is cut off would leave its database to a watchdog.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => ending.abort());
  // Nobody reads on (`npm run demo | head`, a terminal that was closed): what was started is stopped all the same.
  for (const output of [process.stdout, process.stderr]) output.on('error', () => ending.abort());
  const screen = openScreen(process.stdout, () => performance.now());
  try {
    return await runDemo(options, { screen, signal: ending.signal });
  } catch (error) {
    screen.clearProgress();
    if (ending.signal.aborted) return interruptedExitCode;
    process.stderr.write(`${reasonOf(error)}\n`);
    return 1;
  }
}

/** What Node throws for an aborted wait says only that; why it was aborted stands in its cause. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.name === 'AbortError' ? error.cause : undefined;
  const told = cause instanceof Error ? cause : error;
  return told instanceof Error ? told.message : String(told);
}
