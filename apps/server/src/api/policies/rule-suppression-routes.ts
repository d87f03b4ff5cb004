import { Type } from 'typebox';
import { maskText } from '../../access/audit/personal.ts';
import { nameOf } from '../../access/caller.ts';
import { exactly, text, wholeNumber } from '../../platform/shapes/shape.ts';
import {
  endRuleSuppression,
  listRuleSuppressions,
  type StoredSuppression,
  suppressRule,
} from '../../policies/directives/rule-suppressions.ts';
import { clientNames } from '../clients/client-names.ts';
import { findWorkspace } from '../server/find-workspace.ts';
import { type Route, route } from '../server/operation.ts';
import {
  count,
  instant,
  inWorkspace,
  list,
  nonPersonal,
  nonPersonalWord,
  personal,
  whyText,
  word,
} from '../server/members.ts';
import { showQuery } from '../server/show-member.ts';
import { readInstant } from '../server/time-range.ts';
import { decideMasking } from '../server/masking.ts';

const suppressionSchema = Type.Object(
  {
    id: nonPersonalWord('Its id.', 'sup_abc234def567'),
    reason: count('The rule.', 301),
    subject: Type.Optional(nonPersonalWord('Random id of the client that it applies to.', 'k3v9x2m4p7q8r5s6')),
    client: Type.Optional(
      personal(
        word('Name of the client, in the list: masked unless shown. Absent if it can no longer be read.', 'a•••'),
        maskText,
      ),
    ),
    payee: Type.Optional(
      personal(
        word('The payee that it applies to instead. In the list masked unless shown.', 'BANK-A/123456'),
        maskText,
      ),
    ),
    until: instant('When it ends.'),
    why: nonPersonalWord('Why.', 'Payroll, agreed with the branch.'),
    author: nonPersonalWord('Who created it.', 'mara'),
    madeAt: instant('When.'),
  },
  { title: 'RuleSuppression' },
);

type Printed = Type.Static<typeof suppressionSchema>;

function printSuppression(one: StoredSuppression): Printed {
  const { id, reason, of, untilMs, why, author, madeAtMs } = one;
  const about = of.kind === 'client' ? { subject: of.subject } : { payee: of.payee };
  const [until, madeAt] = [untilMs, madeAtMs].map((atMs) => new Date(atMs).toISOString());
  return { id, reason, ...about, until: until!, why, author, madeAt: madeAt! };
}

const suppressBody = exactly({
  reason: wholeNumber({ minimum: 1, maximum: 2_147_483_647, description: 'The rule.' }),
  client: Type.Optional(
    text({ maxLength: 256, description: 'The client; alternatively `payee`.', expected: 'a client' }),
  ),
  payee: Type.Optional(
    text({ maxLength: 256, description: 'The payee as in `payee.id`: bank/account.', expected: 'a payee' }),
  ),
  until: text({ maxLength: 40, description: 'When it ends: within a year.', expected: 'a time' }),
  why: whyText({ maxLength: 1_000, description: 'Why.' }),
});

const listRoute = route(
  {
    id: 'listRuleSuppressions',
    method: 'GET',
    path: '/workspaces/{workspace}/suppressions',
    tag: 'suppressions',
    needs: 'show',
    summary: 'Active suppressions',
    params: inWorkspace,
    query: showQuery,
    answer: {
      status: 200,
      description: 'Those that end first come first; at most 1,000.',
      schema: Type.Object({ items: list(suppressionSchema) }),
    },
    problems: ['thing.unknown'],
  },
  async (deps, { params, query: { show } }, exchange) => {
    const workspace = await findWorkspace(deps, params);
    await decideMasking(deps, exchange, { workspace, show, what: 'suppressions' });
    const found = await listRuleSuppressions(deps.pool, workspace, deps.logNow());
    const items = found.map(printSuppression);
    const names = await clientNames(
      deps,
      workspace,
      items.flatMap(({ subject }) => subject ?? []),
    );
    return {
      items: items.map((one) => {
        const client = names.get(one.subject ?? '');
        return { ...one, ...(client === undefined ? {} : { client }) };
      }),
    };
  },
);

const suppressRoute = route(
  {
    id: 'suppressRule',
    method: 'POST',
    path: '/workspaces/{workspace}/suppressions',
    tag: 'suppressions',
    needs: 'work',
    summary: 'Suppress a rule for one client or payee for a limited time',
    description:
      'From its record in the log, the rule still fires, and is stored and shown as suppressed, but triggers no actions. All other rules act as before. It replaces an active suppression of the same rule and client or payee.',
    params: inWorkspace,
    body: suppressBody,
    example: { reason: 301, client: 'ana', until: '2026-12-01T00:00:00Z', why: 'Payroll, agreed with the branch.' },
    // It repeats what the caller sent, in clear.
    answer: { status: 202, description: 'It is in the log.', schema: nonPersonal(suppressionSchema) },
    problems: ['thing.unknown', 'state.conflict', 'policy.invalid', 'log.unavailable'],
  },
  async (deps, { params, body }, exchange) => {
    const workspace = await findWorkspace(deps, params);
    const { reason, until, why } = body;
    const stored = await suppressRule(deps, workspace, {
      ...body,
      untilMs: readInstant(until, '/until'),
      author: nameOf(exchange.caller),
      madeAtMs: deps.logNow(),
    });
    exchange.note({ target: stored.id, detail: { reason, until, why } });
    return printSuppression(stored);
  },
);

const endRoute = route(
  {
    id: 'endRuleSuppression',
    method: 'POST',
    path: '/workspaces/{workspace}/suppressions/{suppression}/end',
    tag: 'suppressions',
    needs: 'work',
    summary: 'End a suppression now',
    params: exactly({
      ...inWorkspace.properties,
      suppression: text({ maxLength: 64, description: 'Its id: sup_…', expected: 'the id of a suppression' }),
    }),
    answer: { status: 204, description: 'From the record in the log, the rule triggers its actions again.' },
    problems: ['thing.unknown', 'log.unavailable'],
  },
  async (deps, { params: { suppression: id, ...params } }, exchange) => {
    const workspace = await findWorkspace(deps, params);
    const author = nameOf(exchange.caller);
    await endRuleSuppression(deps, workspace, { id, author, comment: '', nowMs: deps.logNow() });
    exchange.note({ target: id });
  },
);

/** Suppressions of rules for a client or a payee. */
export const ruleSuppressionRoutes: readonly Route[] = [listRoute, suppressRoute, endRoute];
