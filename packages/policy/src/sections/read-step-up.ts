import type { Item } from '../document/item.ts';

/** What an action says about step-ups. */
export interface StepUp {
  /** `execution`: the old form; methods: a passed step-up by one of them marks the device as trusted. */
  readonly trusts: 'execution' | readonly string[] | undefined;
  /** Whether the action asks for a step-up, so that its result can be reported. */
  readonly isStepUp: boolean;
}

/** Of one action. */
const methodsMax = 20;
const methodLengthMax = 64;

/** `stepUp: true`. Actions that trust a device are step-ups as well. */
export function readStepUp({ stepUp, trusts }: { readonly stepUp?: Item; readonly trusts?: Item }): StepUp {
  const trusted = trusts === undefined ? undefined : readTrusts(trusts);
  const isAsked = stepUp?.choice('stepUp', ['true', 'false']);
  if (isAsked === 'false' && trusts !== undefined)
    stepUp?.fail('an action that trusts a device is a step-up', 'stepUp: true, or no trusts');
  return { trusts: trusted, isStepUp: isAsked === 'true' || trusted !== undefined };
}

/** `trusts: { device: [passkey, token] }`, or the old form `trusts: device`. */
function readTrusts(item: Item): StepUp['trusts'] {
  if (!item.isMapping) return item.choice('trusts', ['device']) === 'device' ? 'execution' : undefined;
  const device = item.fields('trusts', ['device'])?.device;
  if (device === undefined) return item.fail('trusts names nothing', 'trusts: { device: [passkey, token] }');
  const methods = device.list('device', methodsMax)?.map((one) => one.text('a method', methodLengthMax));
  if (methods === undefined || methods.includes(undefined)) return undefined;
  const known = methods.filter((method) => method !== undefined);
  if (known.length === 0) return device.fail('device names no method', 'trusts: { device: [passkey, token] }');
  return new Set(known).size < known.length ? device.fail('device has a method twice', 'each once') : known;
}
