import { Type } from 'typebox';
import { exactly, text, wholeNumber } from '../../platform/shapes/shape.ts';
import type { AccountMakers } from '../../access/audit/account-provenance.ts';
import type { AskedHistory, PolicyRequest } from '../../policies/policy-requests.ts';
import { choice, count, inWorkspace, instant, list, seldom, word } from '../server/members.ts';
import { commentMember, ifVersionMember, policyFiles, warmFromSchema } from './policy-schema.ts';

const accountMakersSchema = Type.Object(
  {
    account: word('Of who asked, or of who answered.', 'luis@bank.example'),
    madeBy: word('Who made the account, and had the first link to its password.', 'mara@bank.example'),
    madeAt: instant('When.'),
    linkBy: seldom(word('Who made the newest further link.', 'ines@bank.example')),
    linkAt: seldom(instant('When.')),
  },
  { title: 'AccountMakers' },
);

export const policyRequestSchema = Type.Object(
  {
    id: word('Names the request.', 'req_abc234def567'),
    version: count('The version that is to decide.', 4),
    comment: word('Why.', 'raise 301'),
    warmFrom: Type.Optional(
      Type.Object({
        since: seldom(word('The log from this instant on.', '2026-10-01T00:00:00Z')),
        history: list(Type.String(), 'Names of imported histories.'),
      }),
    ),
    askedBy: word('Who asked.', 'mara@bank.example'),
    askedAt: instant('When.'),
    state: choice(['open', 'approved', 'refused', 'withdrawn'], 'What became of it.'),
    answeredBy: seldom(word('Who answered.', 'luis@bank.example')),
    answeredAt: seldom(instant('When it was answered.')),
    answer: seldom(word('What was said.', 'looks right')),
    accounts: list(
      accountMakersSchema,
      'Through whose hands the accounts of both came, as far as they were made here: two accounts may be one person.',
    ),
  },
  { title: 'PolicyRequest', description: 'Somebody asks that a version of the policy decides.' },
);

/** @param makers of accounts; those of others are left out */
export function printPolicyRequest(
  request: PolicyRequest,
  makers: readonly AccountMakers[],
): Type.Static<typeof policyRequestSchema> {
  const { askedAtMs, answeredAtMs, answeredBy, answer, warmFrom, ...rest } = request;
  return {
    ...rest,
    ...(warmFrom === undefined ? {} : { warmFrom: printHistory(warmFrom) }),
    askedAt: new Date(askedAtMs).toISOString(),
    ...(answeredBy === undefined ? {} : { answeredBy }),
    ...(answeredAtMs === undefined ? {} : { answeredAt: new Date(answeredAtMs).toISOString() }),
    ...(answer === undefined ? {} : { answer }),
    accounts: makers
      .filter(({ account }) => account === request.askedBy || account === answeredBy)
      .map(printAccountMakers),
  };
}

function printAccountMakers(of: AccountMakers): Type.Static<typeof accountMakersSchema> {
  const { account, madeBy, madeAtMs, linkBy, linkAtMs } = of;
  return {
    account,
    madeBy,
    madeAt: new Date(madeAtMs).toISOString(),
    ...(linkBy === undefined ? {} : { linkBy }),
    ...(linkAtMs === undefined ? {} : { linkAt: new Date(linkAtMs).toISOString() }),
  };
}

function printHistory({ since, history = [] }: AskedHistory): { since?: string; history: string[] } {
  return { ...(since === undefined ? {} : { since }), history: [...history] };
}

export const newPolicyRequestBody = exactly(
  {
    files: Type.Optional(policyFiles),
    version: Type.Optional(
      wholeNumber({ minimum: 1, maximum: 2_147_483_647, description: 'A version that is kept, instead of files.' }),
    ),
    warmFrom: Type.Optional(warmFromSchema),
    comment: commentMember(),
  },
  {
    refine: ({ files, version }) =>
      (files === undefined) === (version === undefined) ? 'either files or version' : undefined,
  },
);

const answerComment = text({
  minLength: 0,
  maxLength: 1_000,
  default: '',
  description: 'For whoever asked.',
  expected: 'text of up to 1,000 characters',
});

export const policyAnswerBody = exactly({ comment: answerComment });

export const policyApprovalBody = exactly({
  comment: answerComment,
  ifVersion: ifVersionMember('The version that it was compared with'),
});

export const inPolicyRequest = exactly({
  ...inWorkspace.properties,
  request: text({ maxLength: 64, description: 'The id of the request: req_…', expected: 'the id of a request' }),
});
