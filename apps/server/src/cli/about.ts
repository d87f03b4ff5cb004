import type { Command } from 'commander';

/** What a command's help says beside its arguments and options. */
export interface About {
  /** One line, as it stands in the list of commands. */
  readonly summary: string;
  /** What one should know before using it. */
  readonly details?: string;
  /** At least one, each with what it is for. */
  readonly examples: readonly (readonly [command: string, purpose: string])[];
  /** What 1 means here; 0 is success and 2 a command line that makes no sense, everywhere. */
  readonly failure?: string;
}

const exampleWidth = 66;

/** Gives a command its help: summary, details, examples, exit codes. */
export function about(command: Command, { summary, details, examples, failure }: About): Command {
  const lines = examples.map(([example, purpose]) => `  ${example.padEnd(exampleWidth)} ${purpose}`.trimEnd());
  return command
    .summary(summary)
    .description(details === undefined ? summary : `${summary}\n\n${details}`)
    .addHelpText(
      'after',
      `\nExamples:\n${lines.join('\n')}\n\nExit codes:\n  0 done; 1 ${failure ?? 'refused or failed'}; 2 wrong usage`,
    );
}

/** The options by which a command finds its installation. */
export function onInstallation(command: Command): Command {
  return command
    .option('--config <file>', 'configuration file (RINGFENCE_CONFIG)')
    .option('--home <folder>', 'folder of the installation (RINGFENCE_HOME)')
    .option('--json', 'print JSON, for scripts');
}

/** The option by which a command finds its workspace. */
export function onWorkspace(command: Command): Command {
  return command.option(
    '-w, --workspace <name>',
    'NAME, NAME/production, NAME/development or id; may be left out when there is only one',
  );
}
