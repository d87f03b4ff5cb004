/**
 * U+0000 is valid in JSON and in URLs, but not in PostgreSQL texts: wherever a request may contain text, it is refused
 * as the caller's mistake, before anything is queried or changed.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Operation } from '../../src/api/server/operation.ts';
import { managementRoutes } from '../../src/api/routes.ts';
import { type Browser, loggedIn } from '../access/accounts/support/browser.ts';
import { managementKit, type ManagementKit, problemOf } from './support/management-kit.ts';

let kit: ManagementKit;
let boss: Browser;

beforeAll(async () => {
  kit = await managementKit();
  boss = await loggedIn(kit, { email: 'boss@bank.example', roles: ['administrator'], workspace: '*' });
});

afterAll(() => kit.close());

const isText = (schema: unknown): boolean => {
  const { type, enum: choices } = schema as { readonly type?: string; readonly enum?: readonly string[] };
  return type === 'string' && choices === undefined;
};
const textsOf = (schema: unknown): readonly string[] =>
  Object.entries((schema as { readonly properties?: object } | undefined)?.properties ?? {})
    .filter(([, member]) => isText(member))
    .map(([name]) => name);

interface Place {
  readonly id: string;
  readonly operation: Operation;
  readonly part: 'params' | 'query' | 'body';
  readonly name: string;
}

const places = managementRoutes.flatMap(({ operation }) =>
  (['params', 'query', 'body'] as const).flatMap((part) =>
    textsOf(operation[part])
      // The workspace of a path is looked up first, in memory.
      .filter((name) => name !== 'workspace')
      .map((name): Place => ({ id: operation.id, operation, part, name })),
  ),
);

function ask({ operation: { method, path, example = {} }, part, name }: Place): ReturnType<Browser['call']> {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, named: string) => {
    if (part === 'params' && named === name) return 'a%00b';
    return named === 'workspace' ? kit.workspace.id : '1';
  });
  const query = part === 'query' ? `?${name}=a%00b` : '';
  const body = part === 'body' ? { ...example, [name]: 'a\u0000b' } : example;
  return boss.call(method, `${filled}${query}`, method === 'GET' ? {} : { body });
}

it.each(places)('$id, $part: $name', async (place) => {
  const { code, errors = [] } = problemOf(await ask(place));
  expect(code).toBe('request.invalid');
  expect(errors.map(({ pointer }) => pointer)).toContain(`/${place.name}`);
});
