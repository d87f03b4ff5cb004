import { dayMs, minuteMs } from '@ringfence/contract';
import type { Item } from '../document/item.ts';
import type { ActionTemplate, HoldEnd, HoldTerms } from '../policy.ts';
import { type DeclaredAction, defaultActions, readActionNumber } from './read-actions.ts';
import { messageOf, type ReadMessage } from './read-message.ts';
import type { TemplateContext } from '../run/template.ts';
import { readBusinessHours } from './read-business-hours.ts';
import { readDuration } from './spans.ts';

/** A person has to have the time to look; after 30 days no client waits for the payment any more. */
const withinBounds = { minMs: minuteMs, maxMs: 30 * dayMs } as const;
const ends: readonly HoldEnd[] = ['release', 'reject', 'keep'];

/** What custom actions say by themselves: their message, and how a payment that they hold is released or rejected. */
export interface OwnActions {
  /** Messages of the actions that have one, for rules that give no other. */
  readonly messages: ReadonlyMap<number, ReadMessage & { readonly format: 'text' | 'html' }>;
  readonly holds: ReadonlyMap<number, HoldTerms>;
  /** Actions that end a hold, with the one that holds. */
  readonly ending: ReadonlyMap<number, number>;
}

interface ActionsContext extends TemplateContext {
  readonly actions: ReadonlyMap<number, string>;
  readonly packs: { readonly has: (path: string) => boolean };
}

/** Compiles the messages of the declared actions, and reads the terms of their holds. */
export function readOwnActions(declared: ReadonlyMap<number, DeclaredAction>, context: ActionsContext): OwnActions {
  const messages = new Map<number, ReadMessage & { readonly format: 'text' | 'html' }>();
  for (const [action, { message: item, format: formatItem }] of declared) {
    const format = formatItem?.choice('format', ['text', 'html']) ?? 'text';
    const message = item && messageOf(item, format, context);
    if (message !== undefined) messages.set(action, { ...message, format });
  }
  const holds = new Map<number, HoldTerms>();
  const ending = new Map<number, number>();
  for (const [action, { hold: item }] of declared) {
    const terms = item && readHold(item, action, { ...context, declared, messages });
    if (terms === undefined) continue;
    holds.set(action, terms);
    ending.set(terms.release.action, action).set(terms.reject.action, action);
  }
  for (const [action, by] of ending) {
    if (holds.has(action))
      declared.get(by)?.hold?.fail(`action ${action} holds payments itself`, 'an action that ends the hold');
  }
  return { messages, holds, ending };
}

interface HoldContext extends ActionsContext, Pick<OwnActions, 'messages'> {
  readonly declared: ReadonlyMap<number, DeclaredAction>;
}

const example = 'hold: { release: 8, reject: 9, within: 30m, otherwise: keep }';

function readHold(item: Item, action: number, context: HoldContext): HoldTerms | undefined {
  const fields = item.fields('hold', ['release', 'reject', 'within', 'hours', 'otherwise']);
  if (fields === undefined) return undefined;
  const ender = (name: 'release' | 'reject'): ActionTemplate | undefined =>
    item.required(fields[name], [`hold does not say which action ${name}s the payment`, example], (field) =>
      readEnder(field, { action, name }, context),
    );
  const release = ender('release');
  const reject = ender('reject');
  const withinMs = item.required(fields.within, ['hold has no time within which to decide', example], readWithin);
  const hours = fields.hours && readBusinessHours(fields.hours);
  if (fields.hours !== undefined && hours === undefined) return undefined;
  const otherwise = item.required(
    fields.otherwise,
    ['hold does not say what happens when its time is over', 'otherwise: release, reject or keep'],
    readOtherwise,
  );
  if (release === undefined || reject === undefined || withinMs === undefined || otherwise === undefined)
    return undefined;
  if (release.action === reject.action)
    return item.fail(`action ${reject.action} both releases and rejects`, 'two actions');
  return { release, reject, withinMs, otherwise, ...(hours === undefined ? {} : { hours }) };
}

function readWithin(item: Item): number | undefined {
  return readDuration(item, 'within', withinBounds);
}

function readOtherwise(item: Item): HoldEnd | undefined {
  return item.choice('otherwise', ends);
}

/** The action that releases or rejects: another custom one, which has its own message. */
function readEnder(
  item: Item,
  { action, name }: { readonly action: number; readonly name: 'release' | 'reject' },
  context: HoldContext,
): ActionTemplate | undefined {
  const ender = readActionNumber(item, context);
  if (ender === undefined) return undefined;
  if (defaultActions.has(ender))
    return item.fail(
      `action ${ender} is "${defaultActions.get(ender) ?? ''}", which ${name}s no payment`,
      `a custom action, such as 8: { name: ${name === 'release' ? 'Release' : 'Reject'} the payment }`,
    );
  if (ender === action) return item.fail(`action ${action} cannot end its own hold`, 'another custom action');
  const declared = context.declared.get(ender)?.keyItem;
  if (context.packs.has(item.file.path) && declared !== undefined && !context.packs.has(declared.file.path))
    return declared.fail(
      `action ${ender} ends holds of ${item.file.path}, and has another meaning here`,
      `declare action ${action} with its hold in your own file, or give this action another number`,
    );
  const own = context.messages.get(ender);
  return own === undefined
    ? { action: ender, format: 'text', message: '', render: () => '', reads: [], cost: 0 }
    : { action: ender, ...own };
}

/** A rule may decide sooner, or otherwise, than its action says: `hold: { within: 10m, otherwise: reject }`. */
export function readHoldOverride(item: Item, terms: HoldTerms): HoldTerms | undefined {
  const fields = item.fields('hold', ['within', 'otherwise']);
  if (fields === undefined) return undefined;
  const withinMs = fields.within === undefined ? terms.withinMs : readWithin(fields.within);
  const otherwise = fields.otherwise === undefined ? terms.otherwise : readOtherwise(fields.otherwise);
  return withinMs === undefined || otherwise === undefined ? undefined : { ...terms, withinMs, otherwise };
}
