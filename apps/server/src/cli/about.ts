import type { Command } from 'commander';

/** The parts of a command's help other than its arguments and options. */
export interface About {
  /** One line, shown in the list of commands. */
  readonly summary: string;
  /** What a user should know before running it. */
  readonly details?: string;
  /** At least one, each with its purpose. */
  readonly examples: readonly (readonly [command: string, purpose: string])[];
  /** The meaning of exit code 1; 0 (success) and 2 (wrong usage) are the same for every command. */
  readonly failure?: string;
}

const exampleWidth = 66;

/** Adds the help to a command: summary, details, examples, exit codes. */
export function about(command: Command, { summary, details, examples, failure }: About): Command {
  const lines = examples.map(([example, purpose]) => `  ${example.padEnd(exampleWidth)} ${purpose}`.trimEnd());
  return command
    .summary(summary)
    .description(details === undefined ? summary : `${summary}\n\n${details}`)
    .addHelpText(
      'after',
      `\nExamples:\n${lines.join('\n')}\n\nExit codes:\n  0 success; 1 ${failure ?? 'refused or failed'}; 2 wrong usage`,
    );
}

/** Adds the options that name the installation. */
export function onInstallation(command: Command): Command {
  return command
    .option('--config <file>', 'configuration file (RINGFENCE_CONFIG)')
    .option('--home <folder>', 'folder of the installation (RINGFENCE_HOME)')
    .option('--json', 'print JSON, for scripts');
}

/** Adds the options that name the workspace and its installation. */
export function onWorkspace(command: Command): Command {
  return onInstallation(
    command.option(
      '-w, --workspace <name>',
      'NAME, NAME/production, NAME/development or id; optional if there is only one',
    ),
  );
}
