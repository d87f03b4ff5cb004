import { Value } from 'typebox/value';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { eventSchemas, type LoginBody, type LogoutBody, type OperationBody } from '../src/event-schema.ts';
import type { EventKind, Login, Logout, Operation } from '../src/event.ts';
import { schemaExample } from '../src/schema-example.ts';
import { parseEvent } from '../src/parse-event.ts';
import { parseJson } from '../src/json.ts';
import { timeZone } from '../src/time-zone.ts';

/** A schema as in the published document. */
interface Documented {
  readonly type?: unknown;
  readonly description?: string;
  readonly examples?: readonly unknown[];
  readonly maxLength?: number;
  readonly maximum?: number;
  readonly properties?: Readonly<Record<string, Documented>>;
}

function membersOf(schema: Documented, path = ''): readonly (readonly [string, Documented])[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, member]) => [
    [`${path}/${name}`, member] as const,
    ...membersOf(member, `${path}/${name}`),
  ]);
}

const kinds = Object.keys(eventSchemas) as EventKind[];

describe('eventSchemas', () => {
  it.each(kinds)('%s: its own examples are valid, for us and for an independent JSON Schema validator', (kind) => {
    const example = schemaExample(eventSchemas[kind]);
    expect(Value.Check(eventSchemas[kind], example)).toBe(true);
    const body = parseJson(JSON.stringify(example));
    expect(
      body.ok && parseEvent(kind, body, { cards: 'refuse', zone: timeZone('UTC')!, hashCard: (hash) => hash }),
    ).toMatchObject({
      ok: true,
      event: { kind, channelId: 1 },
    });
  });

  it.each(kinds)('%s: every member has a description, an example and a bound', (kind) => {
    for (const [path, member] of membersOf(eventSchemas[kind] as Documented)) {
      const isText = [member.type].flat().includes('string') && !('x-reads-as' in member);
      expect({
        path,
        described: member.description?.endsWith('.'),
        examples: member.properties === undefined ? member.examples?.length : 1,
        bounded: isText ? (member.maxLength ?? 0) > 0 : true,
      }).toEqual({ path, described: true, examples: 1, bounded: true });
    }
  });

  it('has exactly the members of the events', () => {
    expectTypeOf<keyof LoginBody | 'kind'>().toEqualTypeOf<keyof Login>();
    expectTypeOf<keyof LogoutBody | 'kind'>().toEqualTypeOf<keyof Logout>();
    expectTypeOf<keyof OperationBody | 'kind'>().toEqualTypeOf<keyof Operation>();
    type Sent<Name extends keyof OperationBody> = keyof NonNullable<OperationBody[Name]>;
    type Read<Name extends keyof Operation> = keyof NonNullable<Operation[Name]>;
    expectTypeOf<Sent<'transaction'>>().toEqualTypeOf<Read<'transaction'>>();
    expectTypeOf<Sent<'account'>>().toEqualTypeOf<Read<'account'>>();
    expectTypeOf<Sent<'order'>>().toEqualTypeOf<Read<'order'>>();
    expectTypeOf<Sent<'accountTo'>>().toEqualTypeOf<Read<'accountTo'>>();
    expectTypeOf<Sent<'debitFrom'>>().toEqualTypeOf<Read<'debitFrom'>>();
    expectTypeOf<Sent<'creditTo'>>().toEqualTypeOf<Read<'creditTo'>>();
    expectTypeOf<Sent<'creditCard'>>().toEqualTypeOf<Read<'creditCard'>>();
    expect(kinds).toEqual(['login', 'logout', 'operation']);
  });
});
