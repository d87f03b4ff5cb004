import type { Document, Schema } from './documents.ts';

/** Items of an array, and members of an object, whose number the schema does not bound. */
const unbounded = 200_000;

/**
 * The largest value of a schema that fits: every member, arrays as long and texts as long as they may be, as far as the
 * bytes last. Deterministic. An enumeration, a constant and an example keep to what the operation accepts.
 */
export function largestValue(schema: Schema, document: Document, bytesMax: number): unknown {
  return new Filler(document, bytesMax).of(schema, undefined);
}

/** An object of members that no operation knows, as many as fit. */
export function unknownMembers(bytesMax: number): string {
  const parts: string[] = [];
  for (let bytes = 2, at = 0; ; at++) {
    const member = `"${at.toString(36)}":0`;
    bytes += member.length + 1;
    if (bytes > bytesMax) return `{${parts.join(',')}}`;
    parts.push(member);
  }
}

class Filler {
  readonly #document: Document;
  #left: number;

  constructor(document: Document, bytesMax: number) {
    this.#document = document;
    this.#left = bytesMax - slackBytes;
  }

  of(given: Schema, name: string | undefined): unknown {
    const schema = this.#resolved(given);
    if (schema.const !== undefined) return this.#spent(schema.const);
    if (schema.enum !== undefined) return this.#spent(schema.enum.find((value) => value !== null));
    switch (typeOf(schema)) {
      case 'object':
        return this.#object(schema);
      case 'array':
        return this.#array(schema, name);
      case 'string':
        return this.#text(schema, name);
      case 'boolean':
        return this.#spent(true);
      default:
        return this.#spent(schema.maximum ?? 1);
    }
  }

  #resolved(schema: Schema): Schema {
    if (schema.$ref !== undefined) return this.#resolved(this.#document.resolve(schema.$ref));
    const chosen = (schema.oneOf ?? schema.anyOf)?.[0];
    return chosen === undefined ? schema : this.#resolved(chosen);
  }

  #object({ properties }: Schema): object {
    if (properties === undefined) return this.#members();
    return Object.fromEntries(
      Object.entries(properties).map(([name, member]) => {
        this.#left -= name.length + memberBytes;
        return [name, this.of(member, name)];
      }),
    );
  }

  #members(): object {
    const made: Record<string, string> = {};
    for (let at = 0; at < unbounded && this.#left > 0; at++) {
      const name = `member${at}`;
      this.#left -= name.length + memberBytes + 1;
      made[name] = 'a';
    }
    return made;
  }

  #array({ items = {}, maxItems = unbounded }: Schema, name: string | undefined): readonly unknown[] {
    const made: unknown[] = [];
    while (made.length < maxItems && (made.length === 0 || this.#left > 0)) made.push(this.of(items, name));
    return made;
  }

  #text({ maxLength = 1_000, examples }: Schema, name: string | undefined): string {
    const example = examples?.find((one): one is string => typeof one === 'string');
    if (example !== undefined) return this.#spent(example);
    const known = texts[name ?? ''];
    if (known !== undefined) return this.#spent(known);
    return this.#spent('a'.repeat(Math.max(1, Math.min(maxLength, this.#left))));
  }

  #spent<Value>(value: Value): Value {
    this.#left -= JSON.stringify(value ?? null).length + 1;
    return value;
  }
}

/** Quotes, colon and comma of a member. */
const memberBytes = 4;
/** What the estimates may be wrong by. */
const slackBytes = 64;

/** Texts of a form that schemas do not tell: any other would be refused before the work begins. */
const texts: Readonly<Record<string, string>> = {
  timezone: 'America/Mexico_City',
  language: 'es',
  email: 'someone@bank.example',
  since: '2026-01-01T00:00:00Z',
  from: '2026-01-01T00:00:00Z',
  to: '2026-12-31T00:00:00Z',
  until: '2026-12-31T00:00:00Z',
};

function typeOf({ type, properties, items }: Schema): string {
  if (typeof type === 'string') return type;
  if (type !== undefined) return type.find((one) => one !== 'null') ?? 'integer';
  if (properties !== undefined) return 'object';
  return items === undefined ? 'integer' : 'array';
}
