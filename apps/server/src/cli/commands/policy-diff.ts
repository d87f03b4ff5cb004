import { resolve } from 'node:path';
import { type PolicyFile, printChange } from '@ringfence/policy';
import type { Command } from 'commander';
import { readPolicyFolder } from '../../config/policy-folder.ts';
import { readPolicyFiles } from '../../policies/policy-store.ts';
import { workHere } from '../../policies/policy-work.ts';
import { about, onWorkspace } from '../about.ts';
import { UsageError, type WorkspaceOptions } from '../cli-io.ts';
import { withWorkspace } from '../open-installation.ts';
import { printResult } from '../print.ts';
import type { Shell } from '../shell.ts';

/** `ringfence policy diff 3 4`, or a folder in place of a number. */
export function addDiff(group: Command, { io }: Shell): void {
  const command = onWorkspace(group.command('diff'))
    .argument('<before>', 'version number, or folder')
    .argument('[after]', 'version number, or folder (default: the active version)')
    .action((before: string, after: string | undefined, options: WorkspaceOptions) =>
      withWorkspace(io, options, async (installation, workspace) => {
        const filesOf = async (named: string | undefined): Promise<readonly PolicyFile[]> => {
          const version = named === undefined ? workspace.policyVersion : versionOf(named);
          if (named !== undefined && version === undefined) return readPolicyFolder(resolve(io.folder, named));
          if (version === undefined) throw new UsageError('No version is active: give two versions.');
          return readPolicyFiles(installation.pool, workspace.id, version);
        };
        const files = { before: await filesOf(before), after: await filesOf(after) };
        const changes = await workHere({ kind: 'diff', ...files });
        const lines = changes.map((change) => `${printChange(change)}\n`).join('');
        printResult(io, options, { json: changes, human: lines === '' ? 'The policies do not differ.\n' : lines });
      }),
    );
  about(command, {
    summary: 'Describe the differences between two policy versions, or a version and a folder.',
    examples: [
      ['ringfence policy diff 3 4 -w acme/production', 'what version 4 changed'],
      ['ringfence policy diff 4 policies/acme -w acme/production', 'what applying the folder would change'],
    ],
  });
}

function versionOf(text: string): number | undefined {
  return /^[1-9]\d{0,8}$/.test(text) ? Number(text) : undefined;
}
