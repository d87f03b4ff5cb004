import { escape, prose } from './html.ts';

/** The parts of a JSON Schema that a table of members shows. */
export interface Documented {
  readonly title?: string;
  readonly description?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly examples?: readonly unknown[];
  readonly maxLength?: number;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Documented>>;
  readonly items?: Documented;
}

/** The members of an object and of all nested objects, one row each. */
export function memberTable(schema: Documented): string {
  return `<table><thead><tr><th>Member</th><th>Type</th><th>Required</th><th>Meaning</th><th>Example</th></tr></thead>
<tbody>${memberRows(schema, '').join('\n')}</tbody></table>`;
}

function memberRows(schema: Documented, path: string): readonly string[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, member]) => {
    const required = schema.required?.includes(name) === true ? 'yes' : 'no';
    const example = member.examples === undefined ? '' : `<code>${escape(JSON.stringify(member.examples[0]))}</code>`;
    const row = `<tr><td><code>${path}${name}</code></td><td>${typeOf(member)}</td><td>${required}</td><td>${meaningOf(member)}</td><td>${example}</td></tr>`;
    return [row, ...memberRows(member, `${path}${name}.`), ...memberRows(member.items ?? {}, `${path}${name}[].`)];
  });
}

function typeOf(member: Documented): string {
  const type = [member.type ?? '']
    .flat()
    .filter((name) => name !== 'null')
    .join(', ');
  return member.maxLength === undefined ? type : `${type}, up to ${member.maxLength.toLocaleString('en')}`;
}

function meaningOf(member: Documented): string {
  const choices = member.enum?.filter((choice) => typeof choice === 'string').map((choice) => `\`${choice}\``);
  const parts = [
    member.description,
    choices === undefined || choices.length === 0 ? undefined : `One of ${choices.join(', ')}.`,
    member.default === undefined ? undefined : `Default: \`${JSON.stringify(member.default)}\`.`,
  ];
  return prose(parts.filter((part) => part !== undefined).join(' '));
}
