import { type Command, InvalidArgumentError } from 'commander';

/** The options that say where events are taken. */
export function onListener(command: Command): Command {
  return command
    .option('--host <address>', 'where events are taken (HOST; default: 127.0.0.1)')
    .option('--port <number>', 'where events are taken (PORT; default: 8080)', asPort);
}

/** @throws InvalidArgumentError, which ends the command with its usage */
export function asPort(text: string): string {
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535) throw new InvalidArgumentError('Expected 0 to 65535.');
  return text;
}
