import { Type } from 'typebox';
import { describe, expect, it } from 'vitest';
import { maskText } from '../../src/access/audit/personal.ts';
import { exampleSchema } from '../../src/api/backtests/backtest-schema.ts';
import type { Schema } from '../../src/api/openapi/schema-printer.ts';
import { managementRoutes } from '../../src/api/routes.ts';
import { masked } from '../../src/api/server/masking.ts';
import { list, mapping, nonPersonalWord, pageSchema, personal, removed, word } from '../../src/api/server/members.ts';

/**
 * Paths of the members of a schema that can contain any text, and are marked neither as personal nor as free of
 * personal data. Choices and instants need no mark.
 */
function unmarked(schema: Schema, path: string): readonly string[] {
  const { 'x-personal': mark, properties, items, additionalProperties } = schema;
  if (mark !== undefined) return [];
  if (properties !== undefined)
    return Object.entries(properties).flatMap(([name, member]) => unmarked(member, `${path}.${name}`));
  if (items !== undefined) return unmarked(items, `${path}[]`);
  if (typeof additionalProperties === 'object') return unmarked(additionalProperties, `${path}.*`);
  return isBounded(schema) ? [] : [path];
}

/** Whether a value can only be a number, a boolean, an instant, or one of some choices. */
function isBounded({ type, enum: choices, ...schema }: Schema & { readonly format?: string }): boolean {
  const isText = type === undefined || type === 'string' || Array.isArray(type) || type === 'object';
  return !isText || choices !== undefined || 'const' in schema || schema.format === 'date-time';
}

describe('the schema of an answer', () => {
  const answers = managementRoutes.flatMap(({ operation: { id, answer } }) =>
    [answer.schema, answer.events].flatMap((schema) => (schema === undefined ? [] : [{ id, schema }])),
  );

  it.each(answers)('marks every text of $id as personal, or as free of personal data', ({ id, schema }) => {
    expect(unmarked(schema, id)).toEqual([]);
  });

  it('is known for every answer, but for files, empty answers and the live stream, which names no client', () => {
    const without = managementRoutes.filter(
      ({ operation: { answer } }) => (answer.schema ?? answer.events) === undefined && answer.status !== 204,
    );
    expect(without.map(({ operation }) => operation.id)).toEqual([
      'followWorkspace',
      'exportAudit',
      'exportWorkspaceAudit',
    ]);
  });

  it('is refused by this test if a text has no mark', () => {
    const schema = Type.Object({
      id: nonPersonalWord('Its id.', 'x'),
      at: Type.Object({ city: word('Where.', 'Leon') }),
      any: list(Type.Unsafe({ description: 'Anything.' })),
      values: mapping<string>({ type: 'string' }, 'Values.', {}),
    });
    expect(unmarked(schema as Schema, 'x')).toEqual(['x.at.city', 'x.any[]', 'x.values.*']);
  });
});

describe('a masked answer', () => {
  const client = personal(word('The client.', 'ana'), maskText);
  const note = personal(word('A note.', 'x'), removed);

  it('has its personal members masked or removed, and all others as they were', () => {
    const item = Type.Object({ id: nonPersonalWord('Its id.', 'x'), client, note: Type.Optional(note) });
    const page = {
      items: [
        { id: 'a', client: 'ana', note: 'x' },
        { id: 'b', client: 'bob' },
      ],
      next: 'n',
    };
    expect(masked(pageSchema(item), page)).toEqual({
      items: [
        { id: 'a', client: 'a•••' },
        { id: 'b', client: 'b•••' },
      ],
      next: 'n',
    });
    expect(page.items[0]).toEqual({ id: 'a', client: 'ana', note: 'x' });
  });

  it('is the same object if its schema has no personal members', () => {
    const answer = { id: 'a' };
    expect(masked(Type.Object({ id: nonPersonalWord('Its id.', 'x') }), answer)).toBe(answer);
  });

  it('is masked in every value of a mapping, by the object that has the value', () => {
    const text = personal(word('A value.', 'x'), (value, { kind }: { readonly kind: string }) =>
      kind === 'device' ? value : maskText(value),
    );
    const schema = Type.Object({ of: mapping(Type.Object({ kind: nonPersonalWord('', ''), text }), '', {}) });
    expect(masked(schema, { of: { a: { kind: 'device', text: 'd1' }, b: { kind: 'client', text: 'ana' } } })).toEqual({
      of: { a: { kind: 'device', text: 'd1' }, b: { kind: 'client', text: 'a•••' } },
    });
  });
});

describe('an example of a backtest', () => {
  it('is masked with everything that its conditions read', () => {
    const values = { 'order.amount': '9', 'account.client': 'ana', 'payee.id': undefined };
    const example = {
      list: 'rule',
      reason: 1,
      event: '7',
      kind: 'operation',
      at: '2026-11-21T09:00:00Z',
      client: 'ana',
      label: undefined,
      amount: '9',
      currency: 'MXN',
      rules: [
        {
          reason: 1,
          name: 'One',
          mode: 'live',
          suppressed: undefined,
          conditions: [{ text: 'x', holds: true, values }],
        },
      ],
    } as const;
    const seen = masked(exampleSchema, example);
    expect(seen).toMatchObject({ client: 'a•••', amount: '9' });
    expect(seen.rules[0].conditions[0].values).toEqual({ ...values, 'account.client': 'a•••' });
  });
});
