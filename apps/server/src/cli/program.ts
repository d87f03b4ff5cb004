import { Command } from 'commander';

import { changingCommands, type RunningChange } from './changing-commands.ts';
import type { CliIo, ExitCode } from './cli-io.ts';
import { addBacktestCommand } from './commands/backtest.ts';
import { addBackupCommands } from './commands/backup.ts';
import { addClientCommands } from './commands/client.ts';
import { addDeliveriesCommands } from './commands/deliveries.ts';
import { addDeviceKeyCommands } from './commands/device-key.ts';
import { addDoctorCommand } from './commands/doctor.ts';
import { addEventsCommands } from './commands/events.ts';
import { addHealthCommand } from './commands/health.ts';
import { addHistoryCommands } from './commands/history.ts';
import { addImportCommand } from './commands/import.ts';
import { addIntelCommands } from './commands/intel.ts';
import { addAuditCommands } from './commands/audit.ts';
import { addKeyCommands } from './commands/key.ts';
import { addLabelCommands } from './commands/label.ts';
import { addListCommands } from './commands/list.ts';
import { addSuppressCommands } from './commands/suppress.ts';
import { addMasterKeyCommands } from './commands/master-key.ts';
import { addMigrateCommand } from './commands/migrate.ts';
import { addPepperCommands } from './commands/pepper.ts';
import { addPolicyCommands } from './commands/policy.ts';
import { addReplayCommand } from './commands/replay.ts';
import { addServeCommand } from './commands/serve.ts';
import { addWebhookCommands } from './commands/webhook.ts';
import { addWorkspaceCommands } from './commands/workspace.ts';
import { release } from './release.ts';
import type { Shell } from './shell.ts';

/** What a command is about to change, where it is one of those that do. */
function changeOf(command: Command): RunningChange | undefined {
  const words = wordsOf(command);
  const change = changingCommands[words];
  const { workspace } = command.opts<{ readonly workspace?: string }>();
  return change === undefined ? undefined : { ...change, words, args: command.args, workspaceGiven: workspace };
}

/** `policy apply`: without the name of the program. */
function wordsOf(command: Command): string {
  const { parent } = command;
  if (parent === null) return '';
  return `${wordsOf(parent)} ${command.name()}`.trim();
}

/** The whole command line. Nothing runs until it is parsed. */
export function buildProgram(given: CliIo, fail: (code: ExitCode) => void): Command {
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
      '\nExamples:\n  ringfence serve                     start with nothing at all\n  ringfence serve --config bank.yaml  start as a file declares\n  ringfence doctor                    say what is wrong, and how to mend it\n\nExit codes:\n  0 done; 1 refused or failed; 2 wrong usage',
    );
  program.hook('preAction', (_, running) => {
    change = changeOf(running);
  });
  const shell: Shell = { program, io, fail };
  addServeCommand(shell);
  addDoctorCommand(shell);
  addHealthCommand(shell);
  addMigrateCommand(shell);
  addWorkspaceCommands(shell);
  addAuditCommands(shell);
  addKeyCommands(shell);
  addDeviceKeyCommands(shell);
  addIntelCommands(shell);
  addPolicyCommands(shell);
  addListCommands(shell);
  addSuppressCommands(shell);
  addEventsCommands(shell);
  addDeliveriesCommands(shell);
  addWebhookCommands(shell);
  addClientCommands(shell);
  addLabelCommands(shell);
  addPepperCommands(shell);
  addMasterKeyCommands(shell);
  addBackupCommands(shell);
  addReplayCommand(shell);
  addBacktestCommand(shell);
  addImportCommand(shell);
  addHistoryCommands(shell);
  return program;
}
