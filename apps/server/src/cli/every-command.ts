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

/** The command line for reading its help; its commands must not be run. */
export function programToRead(): Promise<Command> {
  return buildProgram(nowhere, () => {});
}

/** A command that can be run, not a group of commands. */
export interface NamedCommand {
  /** As typed, without the program's name: `policy apply`. */
  readonly words: string;
  readonly command: Command;
}

/** Every command that can be run, in the order of the help. */
export async function everyCommand(): Promise<readonly NamedCommand[]> {
  return leaves(await programToRead(), []);
}

function leaves(command: Command, words: readonly string[]): readonly NamedCommand[] {
  if (command.commands.length === 0) return [{ words: words.join(' '), command }];
  return command.commands.flatMap((inner) => leaves(inner, [...words, inner.name()]));
}
