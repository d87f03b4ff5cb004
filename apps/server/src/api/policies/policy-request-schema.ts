import { Type } from 'typebox';
import { exactly, text, wholeNumber } from '../../platform/shapes/shape.ts';
import type { AccountProvenance } from '../../access/audit/account-provenance.ts';
import { reasonLengthMin } from '../../policies/emergency.ts';
import type { AskedHistory, Emergency, PolicyRequest } from '../../policies/policy-requests.ts';
import { choice, count, instant, inWorkspace, list, nonPersonal, nonPersonalWord, seldom } from '../server/members.ts';
import { commentMember, ifVersionMember, policyFiles, warmFromSchema } from './policy-schema.ts';

const accountMakersSchema = Type.Object(
  {
    account: nonPersonalWord('The account of the person who asked, or who answered.', 'luis@bank.example'),
    madeBy: nonPersonalWord(
      'Who created the account, and received the first link to its password.',
      'mara@bank.example',
    ),
    madeAt: instant('When.'),
    linkBy: seldom(nonPersonalWord('Who created the newest further link.', 'ines@bank.example')),
    linkAt: seldom(instant('When.')),
  },
  { title: 'AccountMakers' },
);

export const policyRequestSchema = Type.Object(
  {
    id: nonPersonalWord('Identifies the request.', 'req_abc234def567'),
    version: count('The version to activate.', 4),
    comment: nonPersonalWord('Why.', 'raise 301'),
    warmFrom: Type.Optional(
      Type.Object({
        since: seldom(nonPersonalWord('The log from this instant.', '2026-10-01T00:00:00Z')),
        history: list(nonPersonal(Type.String()), 'Names of imported histories.'),
      }),
    ),
    askedBy: nonPersonalWord('Who asked.', 'mara@bank.example'),
    askedAt: instant('When.'),
    state: choice(
      ['open', 'emergency', 'approved', 'refused', 'withdrawn', 'expired', 'replaced'],
      'Its outcome so far. `emergency`: one person activated it, and a second one has not confirmed it yet; `expired`: none did, and the version before is active again; `replaced`: another version was activated meanwhile.',
    ),
    answeredBy: seldom(nonPersonalWord('Who answered.', 'luis@bank.example')),
    answeredAt: seldom(instant('When it was answered.')),
    answer: seldom(nonPersonalWord('The comment of the answer.', 'looks right')),
    emergency: seldom(
      nonPersonal(
        Type.Object(
          {
            by: nonPersonalWord('Who activated it at once.', 'mara@bank.example'),
            at: instant('When.'),
            reason: nonPersonalWord('Why it could not wait.', 'mules drain accounts through channel 2'),
            expiresAt: instant('When the version before comes back, unless a second person confirms the change.'),
            before: count('The version before.', 3),
          },
          { title: 'PolicyEmergency' },
        ),
      ),
    ),
    backtest: seldom(count('Its newest backtest against the policy that was live then: `readBacktest`.', 12)),
    accounts: list(
      accountMakersSchema,
      'Who created the accounts of both people, and their links, as far as they were created here: two accounts may belong to one person.',
    ),
  },
  { title: 'PolicyRequest', description: 'A request to activate a version of the policy.' },
);

/** @param makers who created which accounts; accounts that do not belong to this request are left out */
export function printPolicyRequest(
  request: PolicyRequest,
  makers: readonly AccountProvenance[],
): Type.Static<typeof policyRequestSchema> {
  const { askedAtMs, answeredAtMs, answeredBy, answer, warmFrom, emergency, backtest, ...rest } = request;
  return {
    ...rest,
    ...(warmFrom === undefined ? {} : { warmFrom: printHistory(warmFrom) }),
    askedAt: new Date(askedAtMs).toISOString(),
    ...(answeredBy === undefined ? {} : { answeredBy }),
    ...(answeredAtMs === undefined ? {} : { answeredAt: new Date(answeredAtMs).toISOString() }),
    ...(answer === undefined ? {} : { answer }),
    ...(emergency === undefined ? {} : { emergency: printEmergency(emergency) }),
    ...(backtest === undefined ? {} : { backtest }),
    accounts: makers
      .filter(({ account }) => [request.askedBy, answeredBy, emergency?.by].includes(account))
      .map(printAccountMakers),
  };
}

function printEmergency({ by, atMs, reason, expiresAtMs, before }: Emergency) {
  return { by, at: new Date(atMs).toISOString(), reason, expiresAt: new Date(expiresAtMs).toISOString(), before };
}

function printAccountMakers(of: AccountProvenance): Type.Static<typeof accountMakersSchema> {
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
      wholeNumber({ minimum: 1, maximum: 2_147_483_647, description: 'A stored version, instead of files.' }),
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
  description: 'For the person who asked.',
  expected: 'text of up to 1,000 characters',
});

export const policyAnswerBody = exactly({ comment: answerComment });

export const policyApprovalBody = exactly({
  comment: answerComment,
  ifVersion: ifVersionMember('The version that it was compared with'),
});

export const emergencyBody = exactly({
  reason: text({
    minLength: reasonLengthMin,
    maxLength: 1_000,
    description: 'Why it cannot wait for a second person.',
    expected: `text of ${reasonLengthMin} to 1,000 characters`,
  }),
  ifVersion: ifVersionMember('The version that it was compared with'),
});

export const inPolicyRequest = exactly({
  ...inWorkspace.properties,
  request: text({ maxLength: 64, description: 'The id of the request: req_…', expected: 'the id of a request' }),
});
