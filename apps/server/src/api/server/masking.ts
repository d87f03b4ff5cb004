/**
 * Masks personal data in answers. Which members are personal is marked in the schema of the answer (`personal` in
 * `members.ts`), and every answer is masked by its schema after the operation, unless its caller may see personal data:
 *
 * - People get masked values, unless they ask to see personal data with `show` and have the right `show`.
 * - Programs with a token get masked values, unless they ask with `show` and have the scope `personal:read`.
 * - Programs with the admin token get everything.
 * - Answers to changes are always masked.
 */
import { Problem } from '@ringfence/contract';
import { may } from '../../access/caller.ts';
import type { Workspace } from '../../tenancy/workspaces/workspace.ts';
import type { Schema } from '../openapi/schema-printer.ts';
import type { RequestContext } from './request-context.ts';
import type { ManagementDeps } from './management-deps.ts';
import { noteAudit } from './note-audit.ts';

/** How much of an answer its caller may see. */
export interface Masking {
  readonly isMasked: boolean;
}

/**
 * Decides what the caller of an operation may see. Showing personal data is recorded in the audit log before it is
 * sent.
 *
 * @param what names what is shown, without personal data
 * @throws Problem `right.missing`
 */
export async function decideMasking(
  deps: ManagementDeps,
  exchange: RequestContext,
  of: { readonly workspace: Workspace; readonly show: boolean | undefined; readonly what: string },
): Promise<Masking> {
  const { workspace, show, what } = of;
  const { caller } = exchange;
  if (caller.kind === 'machine') return { isMasked: false };
  if (show !== true) return { isMasked: true };
  const isToken = caller.kind === 'token';
  if (isToken ? !caller.apiToken.scopes.includes('personal:read') : !may(caller, 'show', workspace.id)) {
    const missing = isToken ? 'the scope "personal:read"' : 'the right "show"';
    throw new Problem('right.missing', `This needs ${missing}. Omit \`show\` to get masked values.`);
  }
  await noteAudit(deps, exchange, { action: 'personalData.show', workspaceId: workspace.id, target: what });
  exchange.showPersonal();
  return { isMasked: false };
}

type Mask = (value: unknown, of: unknown) => unknown;

const masks = new WeakMap<object, { readonly mask: Mask | undefined }>();

/** Masks an answer by its schema. Compiles the masks of a schema once. */
export function masked<Answer>(schema: object | undefined, answer: Answer): Answer {
  if (schema === undefined) return answer;
  let found = masks.get(schema);
  if (found === undefined) masks.set(schema, (found = { mask: compile(schema) }));
  return found.mask === undefined ? answer : (found.mask(answer, undefined) as Answer);
}

/** `undefined` for a schema without personal data. */
function compile(schema: Schema): Mask | undefined {
  const { 'x-personal': personal, properties, items, additionalProperties } = schema;
  if (personal === false) return undefined;
  if (personal !== undefined) return personal as Mask;
  if (items !== undefined) return ofItems(compile(items));
  if (properties !== undefined) return ofMembers(properties);
  return typeof additionalProperties === 'object' ? ofValues(compile(additionalProperties)) : undefined;
}

function ofItems(mask: Mask | undefined): Mask | undefined {
  return mask && ((items) => (items as readonly unknown[]).map((item) => mask(item, items)));
}

function ofValues(mask: Mask | undefined): Mask | undefined {
  return mask && ((of) => Object.fromEntries(Object.entries(of as object).map(([name, one]) => [name, mask(one, of)])));
}

function ofMembers(properties: Readonly<Record<string, Schema>>): Mask | undefined {
  const members = Object.entries(properties).flatMap(([name, member]) => {
    const mask = compile(member);
    return mask === undefined ? [] : [{ name, mask }];
  });
  if (members.length === 0) return undefined;
  return (of) => {
    const copy: Record<string, unknown> = { ...(of as object) };
    for (const { name, mask } of members) {
      if (copy[name] === undefined) continue;
      const value = mask(copy[name], of);
      if (value === undefined) delete copy[name];
      else copy[name] = value;
    }
    return copy;
  };
}
