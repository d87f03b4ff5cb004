import { isJsonArray, isJsonObject, type JsonObject, type JsonValue, NumberText } from '@ringfence/contract';
import { hash } from 'node:crypto';
import { wholeNumber } from './device-content.ts';
import { textOf } from './signal-values.ts';
import { readUserAgent } from './user-agent.ts';

/** Signals that are compared unchanged. */
const plain = [
  ['webgl', 'webglLimits', 'canvas', 'cpuNan', 'pixelRatio', 'colorDepth', 'colorGamut', 'dynamicRange'],
  ['hardwareConcurrency', 'deviceMemoryGib', 'touch', 'platform', 'fonts', 'textMetrics', 'systemColors'],
  ['userAgent', 'vendor', 'codecs', 'plugins', 'audio', 'maths', 'features', 'cssFeatures'],
  ['timezone', 'languages', 'locale', 'keyboardLayout'],
  ['colorScheme', 'contrast', 'reducedMotion', 'forcedColors', 'privacySignals', 'storage'],
].flat();

/** The characteristics of a device, as long as its drivers and its screen stay. */
const ofPrint = new Set(
  [
    ['webgl', 'webglLimits', 'cpuNan', 'screen', 'hardwareConcurrency', 'deviceMemoryGib'],
    ['touch', 'platform', 'model', 'fonts'],
  ].flat(),
);
/** Fewer do not distinguish kinds of devices. */
const printPartsMin = 5;
const printLength = 16;

/**
 * The traits that recognition compares, as `name:hash` in base 36 separated by spaces, and a hash of the device's
 * characteristics. 32 bits each: enough to detect a change, and the values can't be read from them.
 */
export function deviceComponents(signals: JsonObject): {
  readonly components: string;
  readonly print: string | undefined;
} {
  const parts: string[] = [];
  const put = (name: string, value: JsonValue | undefined): void => {
    if (value !== undefined && value !== '') parts.push(`${name}:${hashOf(value).toString(36)}`);
  };
  for (const name of plain) put(name, signals[name]);
  put('screen', screenOf(signals.screen));
  put('model', modelOf(signals.clientHintsDetail));
  const agent = textOf(signals.userAgent);
  const { os, browser } = agent === undefined ? {} : readUserAgent(agent, signals.touch);
  put('os', os);
  put('browser', browser);
  const print = parts.filter((part) => ofPrint.has(part.slice(0, part.indexOf(':'))));
  return {
    components: parts.join(' '),
    print:
      print.length < printPartsMin ? undefined : hash('sha256', print.join(' '), 'base64url').slice(0, printLength),
  };
}

/** A rotated screen is the same screen. */
function screenOf(value: JsonValue | undefined): JsonValue | undefined {
  if (!isJsonObject(value)) return undefined;
  const sides = [wholeNumber(value.width) ?? 0, wholeNumber(value.height) ?? 0];
  return sides.toSorted((a, b) => a - b);
}

function modelOf(value: JsonValue | undefined): JsonValue | undefined {
  if (!isJsonObject(value)) return undefined;
  return [value.architecture ?? null, value.bitness ?? null, value.model ?? null];
}

/** Equal for equal values, regardless of the order of their members; never 0, which means none. */
function hashOf(value: JsonValue): number {
  let mixed = mixValue(0x811c_9dc5, value);
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85eb_ca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2_ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0 || 1;
}

/** FNV-1a over the value piece by piece, each after a tag of its type, so that no text of it is built. */
function mixValue(state: number, value: JsonValue): number {
  if (typeof value === 'string') return mixText(state, '"', value);
  if (value instanceof NumberText) return mixText(state, '0', value.text);
  if (isJsonArray(value)) return value.reduce<number>(mixValue, mixText(state, '[', ''));
  if (!isJsonObject(value)) return mixText(state, '0', String(value));
  let mixed = mixText(state, '{', '');
  for (const name of Object.keys(value).toSorted()) mixed = mixValue(mixText(mixed, ':', name), value[name]!);
  return mixed;
}

function mixText(state: number, kind: string, text: string): number {
  let mixed = mix(state, kind.charCodeAt(0));
  for (let at = 0; at < text.length; at++) mixed = mix(mixed, text.charCodeAt(at));
  return mix(mixed, text.length);
}

function mix(state: number, code: number): number {
  return Math.imul(state ^ code, 0x0100_0193);
}
