import type { EventKind } from '@ringfence/contract';
import type { Vocabulary } from '../compile/compiled.ts';
import type { Item } from '../document/item.ts';
import type { TemplateContext } from '../run/template.ts';
import type { ActionTemplate } from '../policy.ts';
import { kindNames } from './kinds.ts';
import { defaultActions, messageActions, readActionNumber } from './read-actions.ts';
import { messageOf, type ReadMessage } from './read-message.ts';
import { type OwnActions, readHoldOverride } from './read-holds.ts';

/** More than any rule needs: block, close, notify, and two custom actions. */
const actionsMax = 5;

interface ThenContext extends TemplateContext {
  readonly actions: ReadonlyMap<number, string>;
  readonly own: OwnActions;
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
  const fields = item.fields('an action', ['action', 'message', 'format', 'hold']);
  if (fields === undefined) return undefined;
  const action =
    fields.action === undefined
      ? item.fail('then has an entry without an action', 'action: 2')
      : readActionNumber(fields.action, context);
  const own = fields.message === undefined ? context.own.messages.get(action ?? 0) : undefined;
  const format =
    fields.format === undefined ? (own?.format ?? 'text') : fields.format.choice('format', ['text', 'html']);
  const message =
    fields.message === undefined
      ? (own ?? noMessage(item, action))
      : messageOf(fields.message, format ?? 'text', context);
  if (action === undefined || format === undefined || message === undefined) return undefined;
  const by = context.own.ending.get(action);
  if (by !== undefined)
    return item.fail(`action ${action} ends a hold of action ${by}, and follows only from it`, `action: ${by}`);
  const dead = deadIn(message.reads, context);
  if (dead !== undefined) return (fields.message ?? item).fail(dead, 'a fact of these events');
  const declared = context.own.holds.get(action);
  if (declared === undefined) {
    if (fields.hold === undefined) return { action, ...message, format };
    return fields.hold.fail(`action ${action} does not hold payments`, 'declare hold: at the action');
  }
  if (context.on !== undefined && [...context.on].some((kind) => kind !== 'operation'))
    return item.fail(`action ${action} holds payments, and only operations are payments`, 'on: [operation]');
  const hold = fields.hold === undefined ? declared : readHoldOverride(fields.hold, declared);
  if (hold === undefined) return undefined;
  const { release, reject } = hold;
  return {
    action,
    ...message,
    format,
    reads: [...message.reads, ...release.reads, ...reject.reads],
    cost: message.cost + release.cost + reject.cost,
    hold,
  };
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

/** What is wrong with a text of a rule whose events never have one of the facts that it shows. */
export function deadIn(
  reads: readonly string[],
  { on, vocabulary }: Pick<ThenContext, 'on' | 'vocabulary'>,
): string | undefined {
  const dead = on === undefined ? undefined : reads.find((path) => isDead(path, on, vocabulary));
  return dead === undefined || on === undefined ? undefined : `${kindNames(on)} never have ${dead}`;
}

function isDead(path: string, on: ReadonlySet<EventKind>, vocabulary: Vocabulary): boolean {
  const name = vocabulary.find(path);
  return name !== undefined && ![...on].some((kind) => name.on.has(kind));
}
