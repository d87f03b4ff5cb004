import { nearest } from '../check/nearest.ts';
import type { Item } from '../document/item.ts';
import { readStepUp, type StepUp } from './read-step-up.ts';

/** The actions that the interface defines. */
export const defaultActions: ReadonlyMap<number, string> = new Map([
  [1, 'Block user'],
  [2, 'Close session'],
  [3, 'Send e-mail'],
  [4, 'Send SMS'],
  [5, 'Send e-mail and SMS'],
]);

/** `6 (Step-up authentication)`: an action as people read it. */
export function actionText(action: number, custom: ReadonlyMap<number, string>): string {
  const name = defaultActions.get(action) ?? custom.get(action);
  return name === undefined ? String(action) : `${action} (${name})`;
}

/** Actions that send a message to the user, and therefore need one. */
export const messageActions: ReadonlySet<number> = new Set([3, 4, 5]);

const actionMax = 9_999;
const customMin = 6;
const nameLengthMax = 100;

/** An action as it is declared; its messages are compiled with those of the rules. */
export interface DeclaredAction {
  readonly keyItem: Item;
  readonly message: Item | undefined;
  readonly format: Item | undefined;
  readonly hold: Item | undefined;
}

/** Custom actions: `actions: { 6: Call the client, 7: { name: Step-up authentication, stepUp: true } }`. */
export interface CustomActions {
  /** By number. */
  readonly names: ReadonlyMap<number, string>;
  readonly declared: ReadonlyMap<number, DeclaredAction>;
  /** Those that can mark the device of their session as trusted. */
  readonly trusting: ReadonlySet<number>;
  /** Methods of a passed step-up that do so; an action in `trusting` without any does so once it is executed. */
  readonly trustMethods: ReadonlyMap<number, readonly string[]>;
  /** Those that ask for a step-up, including all in `trusting`. */
  readonly stepUps: ReadonlySet<number>;
}

/** `actions:` of all files. */
export function readActions(
  sections: readonly Item[],
  packs: { readonly has: (path: string) => boolean },
): CustomActions {
  const trusting = new Set<number>();
  const trustMethods = new Map<number, readonly string[]>();
  const stepUps = new Set<number>();
  const actions = new Map<number, string>();
  const declared = new Map<number, DeclaredAction>();
  for (const section of sections) {
    for (const { key, keyItem, value } of section.entries('actions') ?? []) {
      const action = /^\d{1,4}$/.test(key) ? Number(key) : 0;
      const { name, stepUp, ...own } = readCustom(value);
      if (defaultActions.has(action))
        keyItem.fail(`action ${key} is "${defaultActions.get(action) ?? ''}"`, 'custom actions begin at 6');
      else if (action < customMin)
        keyItem.fail(`${key} is not the number of a custom action`, `a whole number from ${customMin} to ${actionMax}`);
      // The bank's own name takes precedence; among packs, the first one's.
      else if (actions.has(action) && packs.has(keyItem.file.path)) continue;
      else if (actions.has(action)) keyItem.fail(`action ${key} is declared twice`, 'one of them');
      else if (name !== undefined) {
        actions.set(action, name);
        if (stepUp.trusts !== undefined) trusting.add(action);
        if (stepUp.trusts !== undefined && stepUp.trusts !== 'execution') trustMethods.set(action, stepUp.trusts);
        if (stepUp.isStepUp) stepUps.add(action);
        declared.set(action, { keyItem, ...own });
      }
    }
  }
  return { names: actions, declared, trusting, trustMethods, stepUps };
}

type ReadAction = Omit<DeclaredAction, 'keyItem'> & { readonly name: string | undefined; readonly stepUp: StepUp };

const noStepUp: StepUp = { trusts: undefined, isStepUp: false };
const nothing = { message: undefined, format: undefined, hold: undefined };

function readCustom(item: Item): ReadAction {
  const text = (one: Item): string | undefined => one.text('the name of an action', nameLengthMax);
  if (!item.isMapping) return { name: text(item), stepUp: noStepUp, ...nothing };
  const fields = item.fields('an action', ['name', 'stepUp', 'trusts', 'message', 'format', 'hold']);
  const name = item.required(fields?.name, ['the action has no name', 'name: Step-up authentication'], text);
  return {
    name,
    stepUp: readStepUp(fields ?? {}),
    message: fields?.message,
    format: fields?.format,
    hold: fields?.hold,
  };
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
