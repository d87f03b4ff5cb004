import { Type } from 'typebox';
import { auditEntryOf, type AuditRow } from '../../access/audit/audit-log.ts';
import { exactly, text } from '../../platform/shapes/shape.ts';
import { timeRange } from '../server/time-range.ts';
import { choice, count, instant, mapping, nonPersonal, nonPersonalWord, pageQuery } from '../server/members.ts';

export const auditEntrySchema = Type.Object(
  {
    seq: count('Consecutive numbers from 1.', 42),
    at: instant('When.'),
    workspace: Type.Optional(
      nonPersonalWord('Id of the workspace; absent if the entry concerns the installation.', 'abcdefgh'),
    ),
    actorKind: choice(
      ['person', 'machine', 'nobody'],
      '`machine`: the admin token, a configuration file, or the first start; `nobody`: a person who is not logged in.',
    ),
    actor: nonPersonalWord(
      'The e-mail address of a person; `os:USER` for the user who ran a command; `file:NAME` for a configuration file; `first start`.',
      'mara@bank.example',
    ),
    action: nonPersonalWord('The id of the operation, or `logIn.refused`, `personalData.show`.', 'changeWorkspace'),
    target: Type.Optional(nonPersonalWord('What it was applied to: an id, never personal data.', 'evt_1795256130_42')),
    address: nonPersonalWord(
      'IP address of the sender; `command line of HOST` for a command, `start on HOST` for a file.',
      '198.51.100.7',
    ),
    requestId: nonPersonalWord('Id of the request.', '0f9e4b0c-5a43-4a5e-9a53-2c2f0f1a7d11'),
    detail: mapping<unknown>(nonPersonal({}), 'The values before and after, and further details.', {
      after: { name: 'Mara' },
    }),
    hash: nonPersonalWord('SHA-256 over the previous hash and this entry, hex.', '9f86d081884c7d659a2feaa0c55ad015…'),
  },
  { title: 'AuditEntry', description: 'One change or access. Entries are never changed.' },
);

export function printAuditEntry(row: AuditRow): Type.Static<typeof auditEntrySchema> {
  const { atMs, workspaceId, target, ...rest } = auditEntryOf(row);
  return {
    ...rest,
    at: new Date(atMs).toISOString(),
    ...(workspaceId === undefined ? {} : { workspace: workspaceId }),
    ...(target === undefined ? {} : { target }),
    hash: row.hash.toString('hex'),
  };
}

const name = (description: string) => Type.Optional(text({ maxLength: 254, description }));

const wanted = {
  actor: name('Exactly.'),
  action: name('Exactly.'),
  target: name('Exactly.'),
  ...timeRange('Done'),
};

export const auditQuery = exactly({ ...pageQuery, ...wanted });
export const auditExportQuery = exactly(wanted);

export const auditVerdictSchema = Type.Object(
  {
    entries: count('Number of intact entries, from the first one.', 42),
    head: nonPersonalWord(
      'The hash of the last intact entry, hex: keep a copy elsewhere.',
      '9f86d081884c7d659a2feaa0c55ad015…',
    ),
    broken: Type.Optional(
      Type.Object({
        seq: count('The first entry that was altered.', 43),
        what: nonPersonalWord('What is wrong with it.', 'the entry was changed'),
      }),
    ),
  },
  { title: 'AuditVerdict', description: 'The state of the hash chain.' },
);
