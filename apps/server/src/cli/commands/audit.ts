import type { Command } from 'commander';
import { settleIntents } from '../../access/audit/audit-intent.ts';
import { auditEntryOf } from '../../access/audit/audit-log.ts';
import { readAudit, verifyAudit } from '../../access/audit/verify-audit.ts';
import { about, onInstallation } from '../about.ts';
import { type CommonOptions, exitCodes } from '../cli-io.ts';
import { withInstallation } from '../open-installation.ts';
import { printResult } from '../print.ts';
import type { Shell } from '../shell.ts';

export function addAuditCommands(shell: Shell): void {
  const group = shell.program.command('audit').description('The audit log: verify, export.').summary('The audit log.');
  addVerify(group, shell);
  addExport(group, shell);
}

function addVerify(group: Command, { io, fail }: Shell): void {
  const command = onInstallation(group.command('verify')).action((options: CommonOptions) =>
    withInstallation(io, options, async ({ pool, master }) => {
      await settleIntents({ pool, master });
      const { entries, head, broken } = await verifyAudit(pool, master);
      const human =
        broken === undefined
          ? `${entries} entries, none was changed. The chain ends with ${head}.\n`
          : `Entry ${broken.seq}: ${broken.what}. The ${entries} entries before it are unchanged.\n`;
      printResult(io, options, { json: { entries, head, ...(broken === undefined ? {} : { broken }) }, human });
      if (broken !== undefined) fail(exitCodes.failed);
    }),
  );
  about(command, {
    summary: 'Verify that no entry was changed, removed or inserted.',
    details:
      'Every entry has a hash over itself and the hash before it, and a signature by a key that the master key seals: someone who can only write to the database can rebuild the chain, but not sign it. Only a database that was put back as a whole to an earlier state passes: compare its last hash with the log of the service, which has the hash after every change.',
    examples: [['ringfence audit verify', 'check all entries']],
    failure: 'an entry was changed',
  });
}

function addExport(group: Command, { io }: Shell): void {
  const command = onInstallation(group.command('export')).action((options: CommonOptions) =>
    withInstallation(io, options, async ({ pool, master }) => {
      await settleIntents({ pool, master });
      for await (const row of readAudit(pool)) {
        const { atMs, ...entry } = auditEntryOf(row);
        const line = { ...entry, at: new Date(atMs).toISOString(), hash: row.hash.toString('hex') };
        io.write(`${JSON.stringify(line)}\n`);
      }
    }),
  );
  about(command, {
    summary: 'Print the audit log, oldest entry first, as one JSON object per line.',
    details: 'Includes the hashes, so that the chain can be verified without the service.',
    examples: [['ringfence audit export > audit.jsonl', 'all entries']],
  });
}
