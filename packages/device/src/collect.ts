import { base64url, utf8 } from './base64url.ts';
import { profiles, readersOf, unknownSignals } from './catalogue.ts';
import type { CollectOptions } from './collect-options.ts';
import type { Content, DeviceClaim } from './content.ts';
import { type DeviceId, deviceId } from './device/device-id.ts';
import { signProof } from './device/proof.ts';
import { limits } from './limits.ts';
import { after } from './next-task.ts';
import { readSignals } from './read-signals.ts';
import type { AbsentReason } from './signal.ts';
import { encryptJwe, newTokenChance } from './token/encrypt-jwe.ts';
import { chooseRecipient } from './token/recipient.ts';
import { version } from './version.ts';

/**
 * Collects the signals of the browser and resolves with the token for `data`. Never rejects, makes no request, lets the
 * browser paint meanwhile, and finishes within 1.5 s unless the page itself keeps the browser busy.
 *
 * The token names the signals that could not be read. If no token can be made (no https, no usable key), it resolves
 * with "", which the page sends unchanged: Ringfence treats the absence as a signal. `onTrouble` is then called with
 * the reason.
 */
export async function collect(options: CollectOptions): Promise<string> {
  return (await collectOnce(options)).token;
}

export interface Collected {
  readonly token: string;
  /** Whether anything was omitted, or failed, because the time was up: another collection may return more. */
  readonly isWhole: boolean;
}

/** Like `collect`, for callers that can retry. */
export async function collectOnce(options: CollectOptions): Promise<Collected> {
  try {
    return await collectToken(options);
  } catch (error) {
    tell(options, error);
    return { token: '', isWhole: false };
  }
}

/** Reports a problem to the page without affecting it. Without a listener, it is written to the console. */
export function tell(options: CollectOptions | undefined, error: unknown): void {
  try {
    // oxlint-disable-next-line no-console -- the one place where the developer of a page looks
    if (options?.onTrouble === undefined) console.warn('ringfence:', error);
    else options.onTrouble(error);
  } catch {
    // An exception in the listener must not break the login of the page.
  }
}

async function collectToken(options: CollectOptions): Promise<Collected> {
  const startedMs = performance.now();
  const keys = Promise.resolve(typeof options.keys === 'function' ? options.keys() : options.keys);
  // If something else fails first, nothing awaits them; their rejection must not become an error of the page.
  keys.catch(() => undefined);
  if (!Number.isSafeInteger(options.channelId)) throw new Error('channelId: expected a whole number');
  const { profile = 'essential' } = options;
  if (!(profile in profiles)) throw new Error('profile: expected essential or full');
  for (const name of unknownSignals(options.signals)) tell(options, new Error(`signals: there is no ${name}`));
  // Old browsers have it, but not for pages without https.
  if (globalThis.crypto?.subtle === undefined) throw new Error('WebCrypto: only there on https and localhost');
  const deadline = after(limits.gatherMs);
  const orLate = <T>(what: string, work: Promise<T>): Promise<T> =>
    Promise.race([
      work,
      deadline.then(() => Promise.reject(new Error(`${what}: not there after ${limits.gatherMs} ms`))),
    ]);
  const webgl = sharedWebgl();
  const identifying = identify(options, deadline);
  // The id is read alone at first: on a busy machine the database answers late, and even later if signals are read
  // meanwhile.
  const headStart = Promise.race([identifying, after(limits.headStartMs)]);
  const plan = { readers: readersOf(profile, options.signals), context: { worker: options.worker, webgl: webgl.get } };
  const [device, recipient, chance, readings] = await Promise.all([
    identifying,
    orLate('keys', keys.then(chooseRecipient)),
    orLate('WebCrypto', newTokenChance()),
    headStart.then(() => readSignals({ ...plan, deadline })).finally(webgl.release),
  ]);

  const claims = {
    nonce: base64url(crypto.getRandomValues(new Uint8Array(16))),
    iat: Math.floor(Date.now() / 1_000),
    // A frame whose document was written by a page has the page's origin, but no address. A sandboxed frame has only
    // its address.
    origin: origin === 'null' ? location.origin : origin,
  };
  const seal = async (): Promise<string> => {
    const content: Content = {
      format: 1,
      ...claims,
      sdk: `ringfence-web/${version}`,
      channelId: options.channelId,
      profile,
      device: 'absent' in device ? device : await claimOf(device, claims),
      ...readings,
      tookMs: Math.round(performance.now() - startedMs),
    };
    return encryptJwe(printWithin(content, limits.contentBytesMax), recipient, chance);
  };
  const sealLate = after(limits.sealMs).then(() => Promise.reject(new Error(`no token after ${limits.sealMs} ms`)));
  const token = await Promise.race([seal(), sealLate]);
  const isLate = 'isLate' in device && device.isLate;
  return { token, isWhole: !isLate && !Object.values(readings.absent).includes('timeout') };
}

type Identity = DeviceId | { readonly absent: AbsentReason | 'off' };

async function identify(options: CollectOptions, deadline: Promise<void>): Promise<Identity> {
  if (options.remember === false) return { absent: 'off' };
  try {
    return (await deviceId(options.cookie === true, deadline)) ?? { absent: 'blocked' };
  } catch {
    return { absent: 'failed' };
  }
}

async function claimOf(device: DeviceId, claims: Pick<Content, 'nonce' | 'iat' | 'origin'>): Promise<DeviceClaim> {
  const { id, createdAt, found, keys } = device;
  const claim = { id, createdAt, found };
  if (keys === undefined) return claim;
  try {
    return { ...claim, proof: await signProof({ id, ...claims }, keys) };
  } catch {
    return claim; // The key has another type: a script put it there.
  }
}

/** The content as text. If it is too large, the longest signals are omitted first. */
function printWithin(content: Content, bytesMax: number): string {
  const text = JSON.stringify(content, itself);
  if (utf8(text).length <= bytesMax) return text;
  const sizes = Object.entries(content.signals).map(([name, value]) => [name, JSON.stringify(value).length] as const);
  const [[longest]] = sizes.sort(([, one], [, other]) => other - one) as [(typeof sizes)[0]];
  const { [longest]: _, ...signals } = content.signals;
  return printWithin({ ...content, signals, absent: { ...content.absent, [longest]: 'tooLarge' } }, bytesMax);
}

/**
 * Serialises the value regardless of any `toJSON`: an old library in the page (Prototype.js) makes lists print as
 * texts.
 */
function itself(this: Readonly<Record<string, unknown>>, name: string): unknown {
  return this[name];
}

/** A shared WebGL context, created at first use; `undefined` if the browser provides none. */
interface SharedWebgl {
  readonly get: () => WebGLRenderingContext | undefined;
  /** Releases the context: a page may only have a few. */
  readonly release: () => void;
}

function sharedWebgl(): SharedWebgl {
  let context: WebGLRenderingContext | null | undefined;
  return {
    get: () => {
      context ??= document.createElement('canvas').getContext('webgl');
      return context ?? undefined;
    },
    release: () => {
      try {
        context?.getExtension('WEBGL_lose_context')?.loseContext();
      } catch {
        // Not a context of the browser, but an object that the page put in its place.
      }
    },
  };
}
