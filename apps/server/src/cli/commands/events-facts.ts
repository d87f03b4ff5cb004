import type { Command } from 'commander';
import { about, onWorkspace } from '../about.ts';
import type { WorkspaceOptions } from '../cli-io.ts';
import { findStoredEvent } from '../find-stored-event.ts';
import { withWorkspace } from '../open-installation.ts';
import { printResult, table } from '../print.ts';
import type { Shell } from '../shell.ts';

export function addFacts(group: Command, { io }: Shell): void {
  const command = onWorkspace(group.command('facts'))
    .argument('<event>', 'event id: evt_…')
    .action((event: string, options: WorkspaceOptions) =>
      withWorkspace(io, options, async (installation, workspace) => {
        const { facts } = (await findStoredEvent(installation, { workspace, event })).whole;
        const rows = Object.entries(facts).map(([path, value]) => [path, String(value)]);
        const human = rows.length === 0 ? 'The event has no facts from enrichment.\n' : table(['FACT', 'VALUE'], rows);
        printResult(io, options, { json: facts, human });
      }),
    );
  about(command, {
    summary: 'Show the enrichment facts of one event: its device and its address.',
    details:
      'Shows what enrichment found in the device token and IP address of a login, under the names that rules use. Facts that the engine computes from its state (device.isNew, travel.km and others) depend on the rules: see `ringfence events explain`. Shows personal data: do not store the output.',
    examples: [
      ['ringfence events facts evt_1795256130_42 -w acme/development', 'was the token of my page decrypted?'],
      ['ringfence events facts evt_1795256130_42 -w acme/production --json', 'for scripts'],
    ],
    failure: 'the event does not exist, or cannot be read any more',
  });
}
