import type { Command } from 'commander';
import type { CliIo } from './cli-io.ts';
import { buildProgram } from './program.ts';

const nowhere: CliIo = {
  environment: {},
  folder: '/',
  isTerminal: false,
  write: () => {},
  complain: () => {},
  readInput: () => Promise.resolve(''),
  now: () => 0,
  stop: new AbortController().signal,
};

/** The command line, to be looked at and not to be run. */
export function programToRead(): Promise<Command> {
  return buildProgram(nowhere, () => {});
}

/** A command that does something, and not only holds others. */
export interface NamedCommand {
  /** As it is typed, without the name of the program: `policy apply`. */
  readonly words: string;
  readonly command: Command;
}

/** Every command that does something, in the order of the help. */
export async function everyCommand(): Promise<readonly NamedCommand[]> {
  return leaves(await programToRead(), []);
}

function leaves(command: Command, words: readonly string[]): readonly NamedCommand[] {
  if (command.commands.length === 0) return [{ words: words.join(' '), command }];
  return command.commands.flatMap((inner) => leaves(inner, [...words, inner.name()]));
}
