import { help, readCommandLine } from './command-line.ts';
import { runDemo } from './demo.ts';
import { openScreen } from './screen/screen.ts';

/** Exit code of a program ended by Ctrl+C. */
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
  // A second Ctrl+C still shuts down in order: a killed service would leave its database to a watchdog.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => ending.abort());
  // stdout is closed (`npm run demo | head`, a closed terminal): stop everything that was started.
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

/** An AbortError of Node carries the reason of the abort as its cause. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.name === 'AbortError' ? error.cause : undefined;
  const told = cause instanceof Error ? cause : error;
  return told instanceof Error ? told.message : String(told);
}
