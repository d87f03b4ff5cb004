import type { EventKind } from '@ringfence/contract';
import type { Vocabulary } from '../compile/compiled.ts';
import type { Item } from '../document/item.ts';
import { compileMessage, type Message, type MessageContext } from '../run/message.ts';
import type { ActionTemplate } from '../policy.ts';
import { nearest } from '../check/nearest.ts';
import { kindNames } from './kinds.ts';
import { actionMax, defaultActions, messageActions } from './read-actions.ts';

/** More than any rule needs: block, close, notify, and two custom actions. */
const actionsMax = 5;

interface ThenContext extends MessageContext {
  readonly actions: ReadonlyMap<number, string>;
  /** Kinds of event that the rule evaluates, if they are known. */
  readonly on: ReadonlySet<EventKind> | undefined;
}

/** `then: { action: 2, message: … }`, or a list of them. */
export function readThen(item: Item, context: ThenContext): readonly ActionTemplate[] | undefined {
  const items = item.isList ? item.list('then', actionsMax) : [item];
  if (items === undefined) return undefined;
  if (items.length === 0) return item.fail('then is empty', '{ action: 2 }');
  const actions = items.map((one) => readAction(one, context));
  const known = actions.filter((action) => action !== undefined);
  const numbers = known.map(({ action }) => action);
  if (new Set(numbers).size < numbers.length) return item.fail('then has an action twice', 'each action once');
  return known.length < actions.length ? undefined : known;
}

function readAction(item: Item, context: ThenContext): ActionTemplate | undefined {
  if (!item.isMapping && !item.isList && !item.empty) {
    const word = item.word('then', '{ action: 2 }');
    return item.fail(`then is ${word ?? 'no action'}`, `{ action: ${word ?? '2'} }`);
  }
  const fields = item.fields('an action', ['action', 'message', 'format']);
  if (fields === undefined) return undefined;
  const action =
    fields.action === undefined
      ? item.fail('then has an entry without an action', 'action: 2')
      : readActionNumber(fields.action, context);
  const format = fields.format === undefined ? 'text' : fields.format.choice('format', ['text', 'html']);
  const message =
    fields.message === undefined ? noMessage(item, action) : readMessage(fields.message, format ?? 'text', context);
  if (action === undefined || format === undefined || message === undefined) return undefined;
  return { action, format, ...message };
}

/** Fields of an action without a message, if it needs none. */
function noMessage(item: Item, action: number | undefined): ReadMessage | undefined {
  if (action !== undefined && messageActions.has(action))
    return item.fail(
      `action ${action} (${defaultActions.get(action) ?? ''}) needs a message`,
      'message: "A payment of {{order.amount}} was stopped."',
    );
  return { message: '', render: () => '', reads: [], cost: 0 };
}

/** Its number, or its name in the interface or under `actions`. */
export function readActionNumber(
  item: Item,
  context: { readonly actions: ReadonlyMap<number, string> },
): number | undefined {
  const known = new Map([...defaultActions, ...context.actions]);
  const word = item.word('action', 'the number or the name of an action');
  if (word === undefined) return undefined;
  if (/^\d/.test(word)) {
    const action = item.integer('action', { min: 1, max: actionMax });
    if (action === undefined || known.has(action)) return action;
    const declared = [...known].map(([number, name]) => `${number} ${name}`);
    return item.fail(
      `action ${action} is not declared`,
      `under actions: ${action}: its name; known are ${declared.join(', ')}`,
    );
  }
  const named = [...known].filter(([, name]) => name === word).map(([number]) => number);
  if (named.length === 1) return named[0];
  const names = [...known.values()];
  if (named.length > 1) return item.fail(`there are two actions "${word}"`, named.join(' or '));
  return item.fail(`there is no action "${word}"`, nearest(word, names) ?? `one of ${names.join(', ')}`);
}

interface ReadMessage extends Message {
  /** As written. */
  readonly message: string;
}

function readMessage(item: Item, format: 'text' | 'html', context: ThenContext): ReadMessage | undefined {
  const placed = item.placed('message');
  if (placed === undefined) return undefined;
  if (placed.text.trim() === '') return item.fail('message is empty', 'what the user reads');
  const message = compileMessage(placed, format, context);
  if (message === undefined) return undefined;
  const { on } = context;
  const dead = on === undefined ? undefined : message.reads.find((path) => isDead(path, on, context.vocabulary));
  if (dead !== undefined && on !== undefined)
    return item.fail(`${kindNames(on)} never have ${dead}`, 'a fact of these events');
  return { ...message, message: placed.text };
}

function isDead(path: string, on: ReadonlySet<EventKind>, vocabulary: Vocabulary): boolean {
  const name = vocabulary.find(path);
  return name !== undefined && ![...on].some((kind) => name.on.has(kind));
}
