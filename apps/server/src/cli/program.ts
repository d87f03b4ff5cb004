import { Command } from 'commander';

import { changingCommands, type RunningChange } from './changing-commands.ts';
import type { CliIo, ExitCode } from './cli-io.ts';
import { release } from '../platform/release.ts';
import type { Shell } from './shell.ts';

/** Imports a command's module and returns the function that adds the command to the program. */
type Loader = () => Promise<(shell: Shell) => void>;

/** Keyed by the first word of the command line, in the order of the help. */
const loaders: Readonly<Record<string, Loader>> = {
  serve: async () => (await import('./commands/serve.ts')).addServeCommand,
  doctor: async () => (await import('./commands/doctor.ts')).addDoctorCommand,
  health: async () => (await import('./commands/health.ts')).addHealthCommand,
  size: async () => (await import('./commands/size.ts')).addSizeCommand,
  migrate: async () => (await import('./commands/migrate.ts')).addMigrateCommand,
  workspace: async () => (await import('./commands/workspace.ts')).addWorkspaceCommands,
  audit: async () => (await import('./commands/audit.ts')).addAuditCommands,
  sealed: async () => (await import('./commands/sealed.ts')).addSealedCommands,
  key: async () => (await import('./commands/key.ts')).addKeyCommands,
  'device-key': async () => (await import('./commands/device-key.ts')).addDeviceKeyCommands,
  token: async () => (await import('./commands/token.ts')).addTokenCommands,
  intel: async () => (await import('./commands/intel.ts')).addIntelCommands,
  policy: async () => (await import('./commands/policy.ts')).addPolicyCommands,
  model: async () => (await import('./commands/model.ts')).addModelCommands,
  list: async () => (await import('./commands/list.ts')).addListCommands,
  suppress: async () => (await import('./commands/suppress.ts')).addSuppressCommands,
  events: async () => (await import('./commands/events.ts')).addEventsCommands,
  holds: async () => (await import('./commands/holds.ts')).addHoldsCommands,
  deliveries: async () => (await import('./commands/deliveries.ts')).addDeliveriesCommands,
  streams: async () => (await import('./commands/streams.ts')).addStreamsCommands,
  webhook: async () => (await import('./commands/webhook.ts')).addWebhookCommands,
  client: async () => (await import('./commands/client.ts')).addClientCommands,
  label: async () => (await import('./commands/label.ts')).addLabelCommands,
  outcomes: async () => (await import('./commands/outcomes.ts')).addOutcomesCommand,
  pepper: async () => (await import('./commands/pepper.ts')).addPepperCommands,
  'master-key': async () => (await import('./commands/master-key.ts')).addMasterKeyCommands,
  backup: async () => (await import('./commands/backup.ts')).addBackupCommand,
  restore: async () => (await import('./commands/backup.ts')).addRestoreCommand,
  log: async () => (await import('./commands/log.ts')).addLogCommands,
  replay: async () => (await import('./commands/replay.ts')).addReplayCommand,
  backtest: async () => (await import('./commands/backtest.ts')).addBacktestCommand,
  import: async () => (await import('./commands/import.ts')).addImportCommand,
  history: async () => (await import('./commands/history.ts')).addHistoryCommands,
};

/** Loads only the named command, to start faster. Help, and the suggestion for a misspelt name, need all commands. */
function loadersFor(first: string | undefined): readonly Loader[] {
  const one = first !== undefined && Object.hasOwn(loaders, first) ? loaders[first] : undefined;
  return one === undefined ? Object.values(loaders) : [one];
}

/** What a command is about to change; `undefined` for commands that change nothing. */
function changeOf(command: Command): RunningChange | undefined {
  const words = wordsOf(command);
  const change = changingCommands[words];
  const { workspace } = command.opts<{ readonly workspace?: string }>();
  return change === undefined ? undefined : { ...change, words, args: command.args, workspaceGiven: workspace };
}

/** The words of a command without the program's name: `policy apply`. */
function wordsOf(command: Command): string {
  const { parent } = command;
  if (parent === null) return '';
  return `${wordsOf(parent)} ${command.name()}`.trim();
}

/**
 * Builds the command line. No command runs before `parseAsync`.
 *
 * @param first the first word to be parsed; if it names a command, the other commands are not loaded
 */
export async function buildProgram(given: CliIo, fail: (code: ExitCode) => void, first?: string): Promise<Command> {
  let change: RunningChange | undefined;
  const io: CliIo = {
    ...given,
    get change() {
      return change;
    },
  };
  const program = new Command('ringfence')
    .description('Ringfence: self-hosted fraud-prevention analytics for banking channels.')
    .version(release, '-V, --version', 'print the version')
    .helpCommand('help [command]', 'show help for a command')
    .configureOutput({ writeOut: (text) => io.write(text), writeErr: (text) => io.complain(text) })
    .configureHelp({ showGlobalOptions: false, helpWidth: 110 })
    .showHelpAfterError('(add --help for the usage)')
    .exitOverride()
    .addHelpText(
      'after',
      '\nExamples:\n  ringfence serve                     start without any configuration\n  ringfence serve --config bank.yaml  start with a configuration file\n  ringfence doctor                    show what is wrong and how to fix it\n\nExit codes:\n  0 success; 1 refused or failed; 2 wrong usage',
    );
  program.hook('preAction', (_, running) => {
    change = changeOf(running);
  });
  const shell: Shell = { program, io, fail };
  const adders = await Promise.all(loadersFor(first).map((load) => load()));
  for (const add of adders) add(shell);
  return program;
}
