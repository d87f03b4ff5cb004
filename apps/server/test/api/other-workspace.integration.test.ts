/**
 * An administrator of one workspace uses ids of another workspace: in every operation whose path names an object, with
 * the ids of real objects. Nothing is found, and nothing is changed.
 */
import type { LightMyRequestResponse } from 'fastify';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Operation } from '../../src/api/server/operation.ts';
import { managementRoutes } from '../../src/api/routes.ts';
import { newBacktestExample } from '../../src/api/backtests/backtest-schema.ts';
import { loggedIn, type Browser } from '../access/accounts/support/browser.ts';
import { consoleKit, type ConsoleKit } from '../console/support/console-kit.ts';
import { login, payment, problemOf } from './support/management-kit.ts';

/** Path parameters that are ids of objects; all others are numbers or names that exist in both workspaces. */
const things = ['action', 'alert', 'client', 'event', 'key', 'suppression', 'backtest', 'history', 'ref'] as const;
type Thing = (typeof things)[number];

let kit: ConsoleKit;
let stranger: Browser;
let ids: Readonly<Record<Thing, string>>;
let elsewhere: string;

beforeAll(async () => {
  kit = await consoleKit();
  await kit.send('login', login('ana'));
  for (let i = 0; i < 8; i++) await kit.send('operation', payment('ana', `ref-${i}`));
  await kit.fed();
  elsewhere = (await kit.addWorkspace()).id;
  await kit.deps.registry.refresh();
  stranger = await loggedIn(kit, { email: 'eva@other.example', roles: ['administrator'], workspace: elsewhere });
  ids = await realIds();
});

afterAll(() => kit.close());

async function realIds(): Promise<typeof ids> {
  const first = async (path: string, member = 'id'): Promise<string> => {
    const { items } = await kit.get<{ readonly items: readonly Readonly<Record<string, string | number>>[] }>(path);
    return String(items[0]![member]);
  };
  const alert = await first('alerts');
  const client = await first('alerts', 'clientRef');
  await kit.at('POST', `alerts/${alert}/suppress`, { body: { hours: 1, why: 'known' } });
  const [event, action] = [await first('events'), await first('actions')];
  const { history: _history, ...body } = newBacktestExample;
  const started = await kit.at('POST', 'backtests', { body });
  return {
    alert,
    client,
    event,
    action,
    key: await first('keys'),
    suppression: await first('alert-suppressions'),
    backtest: String(started.json<{ readonly id: number }>().id),
    history: 'his_aaaaaaaaaaaa',
    ref: client,
  };
}

const named = (path: string): readonly Thing[] => things.filter((thing) => path.includes(`{${thing}}`));
const operations = managementRoutes
  .map(({ operation }) => operation)
  .filter(({ path }) => path.startsWith('/workspaces/{workspace}/') && named(path).length > 0);

function ask({ method, path, example }: Operation): ReturnType<Browser['call']> {
  const filled = path
    .replace('{workspace}', elsewhere)
    .replace('{kind}', 'client')
    .replaceAll(/\{(\w+)\}/g, (_, name: string) => (name in ids ? ids[name as Thing] : '1'));
  return stranger.call(method, filled, example === undefined ? {} : { body: example });
}

it.each(operations.map((operation) => ({ id: operation.id, operation })))('$id', async ({ operation }) => {
  const before = await theirs();
  expect(toldOf(operation, await ask(operation))).toBe('nothing');
  expect(await theirs()).toEqual(before);
});

/** Returns "nothing" for an unknown object or an empty list; otherwise the answer. */
function toldOf({ method }: Operation, response: LightMyRequestResponse): string {
  const nothing =
    response.statusCode < 400
      ? method === 'GET' && response.json<{ readonly items?: readonly unknown[] }>().items?.length === 0
      : problemOf(response).code === 'thing.unknown';
  return nothing ? 'nothing' : response.body;
}

/** State that the stranger must not change. */
async function theirs(): Promise<unknown> {
  const { id } = kit.workspace;
  const count = async (table: string): Promise<unknown> =>
    (await kit.pool.query(`select count(*), max(t::text) from ${table} t where workspace_id = $1`, [id])).rows;
  return Promise.all(['alert', 'alert_comment', 'alert_suppression', 'action', 'label', 'license_key'].map(count));
}
