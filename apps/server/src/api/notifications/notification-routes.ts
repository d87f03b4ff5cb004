import { closedBreaker, readBreakers, secretText } from '@ringfence/delivery';
import { nameOf } from '../../access/caller.ts';
import { readChoice, writeChoice } from '../../notifications/choices.ts';
import {
  type AddressRules,
  changeDestination,
  createDestination,
  type Destination,
  listDestinations,
  noMailServer,
  readDestination,
  removeDestination,
} from '../../notifications/destinations.ts';
import { breakers, readDestinationHealth } from '../../notifications/notification-outbox.ts';
import { findWorkspace } from '../server/find-workspace.ts';
import type { ManagementDeps } from '../server/management-deps.ts';
import { inWorkspace } from '../server/members.ts';
import { type Route, route } from '../server/operation.ts';
import { personOf } from '../sessions/session-routes.ts';
import {
  choiceBody,
  choiceSchema,
  destinationChangeBody,
  destinationSchema,
  destinationsSchema,
  inDestination,
  madeDestinationSchema,
  newDestinationBody,
  notificationTranscriptSchema,
  printDestination,
} from './notification-schema.ts';

const listRoute = route(
  {
    id: 'listNotificationDestinations',
    method: 'GET',
    path: '/workspaces/{workspace}/notifications',
    tag: 'notifications',
    needs: 'administer',
    summary: 'List the destinations of notifications',
    params: inWorkspace,
    answer: { status: 200, description: 'All of them; there are at most 50.', schema: destinationsSchema },
    problems: ['thing.unknown', 'right.missing'],
  },
  async (deps, { params }) => {
    const workspace = await findWorkspace(deps, params);
    const destinations = await listDestinations(deps.pool, workspace);
    return { items: await Promise.all(destinations.map((one) => printOne(deps, one))), mail: deps.notify.hasMail };
  },
);

async function printOne({ pool }: ManagementDeps, destination: Destination) {
  const { id } = destination;
  const breaker = (await readBreakers(pool, breakers, [id])).get(id) ?? closedBreaker;
  return printDestination(destination, { breaker, health: await readDestinationHealth(pool, id) });
}

function rulesOf({ allowPrivateWebhooks, notify }: ManagementDeps): AddressRules {
  return { allow: allowPrivateWebhooks, hasMail: notify.hasMail };
}

const createRoute = route(
  {
    id: 'createNotificationDestination',
    method: 'POST',
    path: '/workspaces/{workspace}/notifications',
    tag: 'notifications',
    needs: 'administer',
    summary: 'Add a destination of notifications',
    params: inWorkspace,
    body: newDestinationBody,
    example: {
      name: 'Fraud desk',
      kind: 'slack',
      url: 'https://hooks.slack.com/services/T0/B0/secret',
      settings: { events: { alert: { risk: 80 }, webhook: {} } },
    },
    answer: {
      status: 201,
      description: 'The destination. Of kind http with its signing secret, which is shown only this once.',
      schema: madeDestinationSchema,
    },
    problems: ['thing.unknown', 'right.missing', 'state.conflict'],
  },
  async (deps, { params, body }, exchange) => {
    const workspace = await findWorkspace(deps, params);
    const made = await createDestination(deps.pool, workspace, {
      ...body,
      by: nameOf(exchange.caller),
      nowMs: deps.now(),
      rules: rulesOf(deps),
    });
    const printed = await printOne(deps, made);
    exchange.note({ target: made.id, detail: auditOf(printed) });
    const { address } = made;
    return address?.kind === 'http'
      ? { ...printed, signingSecret: secretText(Buffer.from(address.secret, 'base64')) }
      : printed;
  },
);

function auditOf({
  name,
  kind,
  address,
  settings,
  paused,
}: Awaited<ReturnType<typeof printOne>>): Readonly<Record<string, unknown>> {
  return { name, kind, address, settings, paused };
}

const changeRoute = route(
  {
    id: 'changeNotificationDestination',
    method: 'PATCH',
    path: '/workspaces/{workspace}/notifications/{destination}',
    tag: 'notifications',
    needs: 'administer',
    summary: 'Change, pause or resume a destination',
    description: '`settings` replaces all of them. A disabled destination is tried again.',
    params: inDestination,
    body: destinationChangeBody,
    example: { paused: true },
    answer: { status: 200, description: 'The destination as it is now.', schema: destinationSchema },
    problems: ['thing.unknown', 'right.missing', 'state.conflict'],
  },
  async (deps, { params: { destination: id, ...params }, body }, exchange) => {
    const workspace = await findWorkspace(deps, params);
    const before = auditOf(await printOne(deps, await readDestination(deps.pool, workspace, id)));
    const changed = await changeDestination(deps.pool, workspace, {
      ...body,
      id,
      nowMs: deps.now(),
      rules: rulesOf(deps),
    });
    const printed = await printOne(deps, changed);
    exchange.note({ target: id, detail: { before, after: auditOf(printed) } });
    return printed;
  },
);

const removeRoute = route(
  {
    id: 'removeNotificationDestination',
    method: 'DELETE',
    path: '/workspaces/{workspace}/notifications/{destination}',
    tag: 'notifications',
    needs: 'administer',
    summary: 'Remove a destination, with the messages that wait for it',
    params: inDestination,
    answer: { status: 204, description: 'It is gone.' },
    problems: ['thing.unknown', 'right.missing'],
  },
  async (deps, { params: { destination: id, ...params } }, exchange) => {
    const workspace = await findWorkspace(deps, params);
    const { name, kind } = await removeDestination(deps.pool, workspace, id);
    exchange.note({ target: id, detail: { name, kind } });
  },
);

const testRoute = route(
  {
    id: 'testNotificationDestination',
    method: 'POST',
    path: '/workspaces/{workspace}/notifications/{destination}/test',
    tag: 'notifications',
    needs: 'administer',
    summary: 'Send a test message, and show the whole exchange',
    description: 'It is sent even while the destination is paused, and is not stored. Takes at most 15 seconds.',
    params: inDestination,
    answer: { status: 200, description: 'The exchange, even if it failed.', schema: notificationTranscriptSchema },
    problems: ['thing.unknown', 'right.missing', 'state.conflict'],
  },
  async (deps, { params: { destination: id, ...params } }, exchange) => {
    const workspace = await findWorkspace(deps, params);
    exchange.note({ target: id });
    return deps.notify.sendTest(workspace, await readDestination(deps.pool, workspace, id));
  },
);

const readChoiceRoute = route(
  {
    id: 'readNotificationChoice',
    method: 'GET',
    path: '/session/notifications',
    tag: 'session',
    needs: 'account',
    summary: 'What you get at your own e-mail address',
    answer: { status: 200, description: 'Your choice.', schema: choiceSchema },
    problems: ['session.missing'],
  },
  async ({ pool, notify }, _given, exchange) => ({
    ...(await readChoice(pool, personOf(exchange).session.account.id)),
    mail: notify.hasMail,
  }),
);

const writeChoiceRoute = route(
  {
    id: 'writeNotificationChoice',
    method: 'PUT',
    path: '/session/notifications',
    tag: 'session',
    needs: 'account',
    summary: 'Choose what you get at your own e-mail address',
    body: choiceBody,
    example: { mention: true, assignment: true },
    answer: { status: 200, description: 'Your choice.', schema: choiceSchema },
    problems: ['session.missing', 'state.conflict', 'request.foreign'],
  },
  async ({ pool, notify }, { body }, exchange) => {
    const { id } = personOf(exchange).session.account;
    if (!notify.hasMail && (body.mention || body.assignment || body.approval)) throw noMailServer();
    await writeChoice(pool, id, body);
    exchange.note({ target: id, detail: { after: body } });
    return { ...body, mail: notify.hasMail };
  },
);

/** Destinations of a workspace, and what each person wants to get. */
export const notificationRoutes: readonly Route[] = [
  listRoute,
  createRoute,
  changeRoute,
  removeRoute,
  testRoute,
  readChoiceRoute,
  writeChoiceRoute,
];
