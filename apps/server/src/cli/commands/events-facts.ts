import type { Command } from 'commander';
import { about, onInstallation, onWorkspace } from '../about.ts';
import type { CommonOptions } from '../cli-io.ts';
import { findStoredEvent } from '../find-stored-event.ts';
import { findWorkspace } from '../find-workspace.ts';
import { withInstallation } from '../open-installation.ts';
import { printResult, table } from '../print.ts';
import type { Shell } from '../shell.ts';

interface FactsOptions extends CommonOptions {
  readonly workspace?: string;
}

export function addFacts(group: Command, { io }: Shell): void {
  const command = onInstallation(onWorkspace(group.command('facts')))
    .argument('<event>', 'its id: evt_…')
    .action(async (event: string, options: FactsOptions) => {
      await withInstallation(io, options, async (installation) => {
        const workspace = await findWorkspace(installation, options.workspace);
        const { facts } = (await findStoredEvent(installation, { workspace, event })).whole;
        const rows = Object.entries(facts).map(([path, value]) => [path, String(value)]);
        const human = rows.length === 0 ? 'Nothing was found out about it.\n' : table(['FACT', 'VALUE'], rows);
        printResult(io, options, { json: facts, human });
      });
    });
  about(command, {
    summary: 'Show what was found out about one event when it came: its device, its address.',
    details:
      'What the door learnt of the device token and the address of a login, as rules read it. What the engine adds from what it remembers (device.isNew, travel.km and others) depends on the rules that ask: `ringfence events explain` shows it. Shows personal data: do not keep it.',
    examples: [
      ['ringfence events facts evt_1795256130_42 -w acme/development', 'did the token of my page open?'],
      ['ringfence events facts evt_1795256130_42 -w acme/production --json', 'for scripts'],
    ],
    failure: 'there is no such event, or it can be read no more',
  });
}
