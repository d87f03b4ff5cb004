/** Entry point of `ringfence`: runs the command line with this process's terminal, environment and signals. */
import { text } from 'node:stream/consumers';
import { runCli } from './cli/run-cli.ts';

/** A finished command that still holds a resource is ended after this time. */
const lingerMsMax = 3_000;
/** The exit code by which shells report Ctrl+C. */
const interruptedCode = 130;

const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    if (stop.signal.aborted) process.exit(interruptedCode);
    stop.abort();
  });
}

// The reader of our output has closed the pipe: `ringfence … | head`.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit();
});

process.exitCode = await runCli(process.argv.slice(2), {
  environment: process.env,
  folder: process.cwd(),
  isTerminal: process.stdout.isTTY,
  write: (output) => process.stdout.write(output),
  complain: (output) => process.stderr.write(output),
  readInput: () => text(process.stdin),
  now: Date.now,
  stop: stop.signal,
});
setTimeout(() => process.exit(), lingerMsMax).unref();
