import { Problem } from '@ringfence/contract';
import { type PolicyError, type PolicyFile } from '@ringfence/policy';
import { Type } from 'typebox';
import { exactly, listOf, text, wholeNumber } from '../../platform/shapes/shape.ts';
import { instantMs, type WarmFrom } from '../../decide/feature-backfill/plan-backfill.ts';
import type { FeatureBackfill } from '../../tenancy/workspaces/backfill-rows.ts';
import type { PolicyVersion } from '../../policies/policy-store.ts';
import {
  choice,
  count,
  documenting,
  flag,
  instant,
  inWorkspace,
  list,
  nonPersonalWord,
  seldom,
} from '../server/members.ts';

/** More than a team maintains by hand. */
const filesMax = 100;
/** Limit of the whole request. */
const textLengthMax = 1024 * 1024;

export const policyFiles = listOf(
  exactly({
    path: text({
      maxLength: 200,
      description: 'Relative to the folder, for example `rules.yaml`.',
      expected: 'a path within the folder',
    }),
    text: text({ minLength: 0, maxLength: textLengthMax, description: 'The YAML text.', expected: 'YAML' }),
  }),
  { minItems: 1, maxItems: filesMax, expected: 'a list of files', description: 'The files of the policy folder.' },
);

export const exampleFiles = [
  {
    path: 'rules.yaml',
    text: 'rules:\n  - reason: 101\n    name: Large transfer\n    on: [operation]\n    when: order.amount > 10000\n    then: { action: 2, message: Your session was closed. }\n',
  },
];

export const policySchema = Type.Object(
  {
    version: count('Numbered from 1 within the workspace.', 3),
    hash: nonPersonalWord(
      'SHA-256 of the policy’s meaning, in hex: policies with equal hashes decide equally.',
      '9f86d081884c7d65…',
    ),
    author: nonPersonalWord('Who is responsible.', 'mara'),
    comment: nonPersonalWord('Why.', 'raise 301'),
    createdAt: instant('When it was stored.'),
    active: flag('Whether this version was activated last.'),
  },
  { title: 'PolicyVersion' },
);

export function printPolicy({ createdAtMs, ...version }: PolicyVersion): Type.Static<typeof policySchema> {
  return { ...version, createdAt: new Date(createdAtMs).toISOString() };
}

const fileSchema = documenting<PolicyFile>(
  Type.Object(
    {
      path: nonPersonalWord('Relative to the folder.', 'rules.yaml'),
      text: nonPersonalWord('The YAML text.', 'rules:\n  - reason: 101\n'),
    },
    { title: 'PolicyFile' },
  ),
);

export const policyWithFilesSchema = Type.Object(
  { version: count('The version.', 3), files: list(fileSchema, 'As they were sent.') },
  { title: 'PolicyFiles' },
);

const warningSchema = documenting<PolicyError>(
  Type.Object(
    {
      file: nonPersonalWord('Path of the file.', 'rules.yaml'),
      line: count('From 1.', 12),
      column: count('From 1.', 7),
      message: nonPersonalWord('What should be improved.', 'the feature is used by no rule'),
      suggestion: Type.Optional(nonPersonalWord('What was expected, or the nearest known name.', 'remove it')),
      severity: choice(['error', 'warning'], 'Here always `warning`.'),
    },
    { title: 'PolicyWarning' },
  ),
);

export const checkedPolicySchema = Type.Object({ warnings: list(warningSchema) }, { title: 'CheckedPolicy' });

export const appliedPolicySchema = Type.Object(
  {
    version: count('The version that takes effect with its record in the log.', 4),
    folding: flag(
      'Its new features are being backfilled from history; the version before stays active meanwhile.',
      false,
    ),
    changed: flag('False: the active version has the same files, and nothing was stored.'),
    warnings: list(warningSchema),
  },
  { title: 'AppliedPolicy' },
);

export const inVersion = exactly({
  ...inWorkspace.properties,
  version: wholeNumber({ minimum: 1, maximum: 2_147_483_647, description: 'The version.' }),
});

export const diffQuery = exactly({
  from: Type.Optional(
    wholeNumber({
      minimum: 1,
      maximum: 2_147_483_647,
      description: 'The version to compare with; by default the one before.',
    }),
  ),
});

export const diffSchema = Type.Object(
  {
    from: count('The version that it is compared with.', 3),
    items: list(
      Type.Object({
        of: nonPersonalWord('What differs.', 'rule 301'),
        change: nonPersonalWord('How, in words.', 'threshold of clientPaid5m 6 to 5'),
      }),
      'Rules first, then groups, parameters, features, lists, packs and actions.',
    ),
  },
  { title: 'PolicyDiff' },
);

export const policyCheckBody = exactly({ files: policyFiles });

export const warmFromSchema = exactly({
  since: Type.Optional(
    text({
      maxLength: 40,
      description: 'The log from this instant; by default as far back as it is kept.',
      expected: 'an instant in RFC 3339, such as 2026-10-01T00:00:00Z',
    }),
  ),
  history: Type.Optional(
    listOf(text({ maxLength: 200, description: 'Name of an imported history.', expected: 'a name' }), {
      maxItems: 10,
      description: 'Imported histories; their events come before those of the log.',
    }),
  ),
});

export const startSchema = Type.Object(
  {
    version: count('The version that takes over once its new features are backfilled.', 4),
    state: choice(
      ['folding', 'ready', 'switched', 'cancelled', 'failed'],
      '`folding`: the version before is active; `ready`: about to be written to the log; `cancelled`: another version was activated.',
      'switched',
    ),
    done: count('Events and records of the history that are in.', 120_000),
    total: count('How many there are.', 120_000),
    error: seldom(nonPersonalWord('Why it failed.', 'The log no longer contains record 42.')),
    askedAt: instant('When it was asked for.'),
  },
  { title: 'PolicyStart' },
);

export function printStart({
  version,
  state,
  done,
  total,
  error,
  askedAtMs,
}: FeatureBackfill): Type.Static<typeof startSchema> {
  const askedAt = new Date(askedAtMs).toISOString();
  return { version, state, done, total, ...(error === undefined ? {} : { error }), askedAt };
}

/** Parses the history that the body selects. @throws Problem `request.invalid` for a text that is not an instant */
export function readWarmFrom(
  written: { readonly since?: string; readonly history?: readonly string[] } | undefined,
): WarmFrom | undefined {
  if (written === undefined) return undefined;
  const { since, history = [] } = written;
  if (since === undefined) return { sinceMs: undefined, history };
  const sinceMs = instantMs(since);
  if (sinceMs !== undefined) return { sinceMs, history };
  throw new Problem('request.invalid', `"${since}" is not an instant.`, {
    errors: [{ pointer: '/warmFrom/since', detail: 'not an instant', expected: '2026-10-01T00:00:00Z' }],
  });
}

export const newPolicyBody = exactly({
  warmFrom: Type.Optional(warmFromSchema),
  files: policyFiles,
  ifVersion: ifVersionMember('The version that these files were written against'),
  author: authorMember('Who is responsible.'),
  comment: commentMember(),
});

export const activationBody = exactly({
  warmFrom: Type.Optional(warmFromSchema),
  ifVersion: ifVersionMember('The version that it was compared with'),
  comment: commentMember(),
});

/** The version that a person compared with before requesting an activation (optimistic concurrency control). */
export function ifVersionMember(whatItIs: string): Type.TOptional<ReturnType<typeof wholeNumber>> {
  return Type.Optional(
    wholeNumber({
      minimum: 1,
      maximum: 2_147_483_647,
      description: `${whatItIs}: refused if another version is active by now.`,
    }),
  );
}

/** The person that a program acts for; read by `authorOf`. */
export function authorMember(description: string): Type.TOptional<Type.TString> {
  return Type.Optional(
    text({
      maxLength: 100,
      description: `${description} Required of programs; for a person it is always the logged-in account, whatever is sent.`,
      expected: 'a name of 1 to 100 characters',
    }),
  );
}

/** Why a version is activated: stored with the version, the request, or the audit entry. */
export function commentMember(): ReturnType<typeof text> {
  return text({
    minLength: 0,
    maxLength: 1_000,
    default: '',
    description: 'Why.',
    expected: 'text of up to 1,000 characters',
  });
}
