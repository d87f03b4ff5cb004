import { type Command, InvalidArgumentError } from 'commander';

/** Adds the options for the address of the ingest listener. */
export function onListener(command: Command): Command {
  return command
    .option('--host <address>', 'address of the ingest listener (HOST; default: 127.0.0.1)')
    .option('--port <number>', 'port of the ingest listener (PORT; default: 8080)', asPort);
}

/** @throws InvalidArgumentError, which commander reports with a hint to the usage */
export function asPort(text: string): string {
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535) throw new InvalidArgumentError('Expected 0 to 65535.');
  return text;
}
