import { Type } from 'typebox';
import { auditEntryOf, type AuditRow } from '../../access/audit/audit-log.ts';
import { exactly, text } from '../../platform/shapes/shape.ts';
import { timeRange } from '../server/time-range.ts';
import { choice, count, instant, mapping, pageQuery, word } from '../server/members.ts';

export const auditEntrySchema = Type.Object(
  {
    seq: count('1 and up, without a gap.', 42),
    at: instant('When.'),
    workspace: Type.Optional(word('Its id; absent where it is about the installation.', 'abcdefgh')),
    actorKind: choice(
      ['person', 'machine', 'nobody'],
      '`machine`: the admin token, a configuration file, or the first start; `nobody`: somebody not logged in.',
    ),
    actor: word(
      'The e-mail address of a person; `os:USER` of whoever ran a command; `file:NAME` of a configuration file; `first start`.',
      'mara@bank.example',
    ),
    action: word('The id of the operation, or `logIn.refused`, `personalData.show`.', 'changeWorkspace'),
    target: Type.Optional(word('What it was done to: an id, never a personal value.', 'evt_1795256130_42')),
    address: word(
      'Where it came from; `command line of HOST` for a command, `start on HOST` for a file.',
      '198.51.100.7',
    ),
    requestId: word('Of the request.', '0f9e4b0c-5a43-4a5e-9a53-2c2f0f1a7d11'),
    detail: mapping<unknown>({}, 'What it was before and after, and whatever else says more.', {
      after: { name: 'Mara' },
    }),
    hash: word('SHA-256 over the hash before it and this entry, hex.', '9f86d081884c7d659a2feaa0c55ad015…'),
  },
  { title: 'AuditEntry', description: 'One thing that somebody did. It is never changed.' },
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
    entries: count('How many are as they were written, from the first one on.', 42),
    head: word('The last hash of them, hex: keep it elsewhere.', '9f86d081884c7d659a2feaa0c55ad015…'),
    broken: Type.Optional(
      Type.Object({
        seq: count('The first entry that is not as it was written.', 43),
        what: word('What is wrong with it.', 'the entry was changed'),
      }),
    ),
  },
  { title: 'AuditVerdict', description: 'What became of the chain of hashes.' },
);
