import { Type } from 'typebox';
import { everywhere } from '../../access/accounts/roles.ts';
import {
  type ApiToken,
  stateOf,
  tokenDaysDefault,
  tokenDaysMax,
  tokenNameExpected,
  tokenNamePattern,
} from '../../access/tokens/api-tokens.ts';
import { scopeNames } from '../../access/tokens/scopes.ts';
import { exactly, listOf, oneOf, text, wholeNumber } from '../../platform/shapes/shape.ts';
import { choice, instant, list, nonPersonalWord, seldom } from '../server/members.ts';

export const tokenSchema = Type.Object(
  {
    id: nonPersonalWord('Identifies the token; not a secret.', 'tok_abc234def567'),
    name: nonPersonalWord('Names the token in the audit log, as `token:NAME`.', 'chargebacks'),
    hint: nonPersonalWord('Enough to recognise the token.', 'rf_token_…x4Zq'),
    scopes: list(choice(scopeNames, 'What it may do.', 'labels:write')),
    workspaces: list(nonPersonalWord('Id of a workspace; `*`: all, and the installation.', 'abcdefgh')),
    state: choice(['live', 'ended', 'revoked'], 'Only a live token is accepted.'),
    createdAt: instant('When it was created.'),
    createdBy: nonPersonalWord('Who created it, as the audit log names them.', 'mara@bank.example'),
    expiresAt: instant('When it ends.', '2027-02-25T09:00:00.000Z'),
    revokedAt: seldom(instant('When it was revoked.')),
    lastUsedAt: Type.Optional(instant('The last request that used it, at most a minute behind.')),
  },
  { title: 'Token', description: 'A token of the management API, without its text.' },
);

export const newTokenSchema = Type.Object(
  {
    ...tokenSchema.properties,
    text: nonPersonalWord('The token itself, which only this answer contains.', 'rf_token_…'),
  },
  { title: 'MadeToken' },
);

export function printToken(token: ApiToken, nowMs: number): Type.Static<typeof tokenSchema> {
  const { createdAtMs, expiresAtMs, revokedAtMs, lastUsedAtMs, ...rest } = token;
  return {
    ...rest,
    state: stateOf(token, nowMs),
    createdAt: new Date(createdAtMs).toISOString(),
    expiresAt: new Date(expiresAtMs).toISOString(),
    ...(revokedAtMs === undefined ? {} : { revokedAt: new Date(revokedAtMs).toISOString() }),
    ...(lastUsedAtMs === undefined ? {} : { lastUsedAt: new Date(lastUsedAtMs).toISOString() }),
  };
}

export const newTokenBody = exactly({
  name: text({
    maxLength: 60,
    description: 'Names the token in the audit log; used once.',
    expected: tokenNameExpected,
    refine: (name) => (tokenNamePattern.test(name) ? undefined : tokenNameExpected),
  }),
  scopes: listOf(oneOf(scopeNames), {
    minItems: 1,
    maxItems: scopeNames.length,
    description: 'What it may do.',
  }),
  workspaces: listOf(text({ maxLength: 100, expected: 'a workspace' }), {
    minItems: 1,
    maxItems: 100,
    description: `Ids, or \`name:environment\`; \`${everywhere}\`: all, and the installation as a whole.`,
  }),
  days: wholeNumber({
    minimum: 1,
    maximum: tokenDaysMax,
    unit: 'days',
    default: tokenDaysDefault,
    description: 'After how many days it ends.',
  }),
});

export const inToken = exactly({
  token: text({ maxLength: 64, description: 'The id of the token: tok_…', expected: 'the id of a token' }),
});
