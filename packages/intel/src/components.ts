import { isJsonArray, isJsonObject, type JsonObject, type JsonValue, NumberText } from '@ringfence/contract';
import { hash } from 'node:crypto';
import { textOf } from './signal-values.ts';
import { readUserAgent } from './user-agent.ts';

/** Signals that are compared as they are. */
const plain = [
  ['webgl', 'webglLimits', 'canvas', 'cpuNan', 'pixelRatio', 'colorDepth', 'colorGamut', 'dynamicRange'],
  ['hardwareConcurrency', 'deviceMemoryGib', 'touch', 'platform', 'fonts', 'textMetrics', 'systemColors'],
  ['userAgent', 'vendor', 'codecs', 'plugins', 'audio', 'maths', 'features', 'cssFeatures'],
  ['timezone', 'languages', 'locale', 'keyboardLayout'],
  ['colorScheme', 'contrast', 'reducedMotion', 'forcedColors', 'privacySignals', 'storage'],
].flat();

/** What a device is made of, as long as its drivers and its screen stay. */
const ofPrint = new Set(
  [
    ['webgl', 'webglLimits', 'cpuNan', 'screen', 'hardwareConcurrency', 'deviceMemoryGib'],
    ['touch', 'platform', 'model', 'fonts'],
  ].flat(),
);
/** Fewer do not tell kinds of devices apart. */
const printPartsMin = 5;
const printLength = 16;

/**
 * What recognition compares, as `name:hash` in base 36 with spaces between, and a hash of what the device is made of.
 * 32 bits each: enough to tell whether a trait is as it was, and nothing can be read from them.
 */
export function deviceComponents(signals: JsonObject): {
  readonly components: string;
  readonly print: string | undefined;
} {
  const parts: string[] = [];
  const put = (name: string, value: JsonValue | undefined): void => {
    if (value !== undefined && value !== '') parts.push(`${name}:${hashOf(canonical(value)).toString(36)}`);
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

/** A screen that is turned is the same screen. */
function screenOf(value: JsonValue | undefined): JsonValue | undefined {
  if (!isJsonObject(value)) return undefined;
  return [value.width, value.height].map((side) => canonical(side ?? null)).toSorted();
}

function modelOf(value: JsonValue | undefined): JsonValue | undefined {
  if (!isJsonObject(value)) return undefined;
  return [value.architecture ?? null, value.bitness ?? null, value.model ?? null];
}

/** One text for equal values, whatever the order of their members. */
function canonical(value: JsonValue): string {
  if (value instanceof NumberText) return value.text;
  if (isJsonArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (!isJsonObject(value)) return JSON.stringify(value);
  const members = Object.keys(value).toSorted();
  return `{${members.map((name) => `${JSON.stringify(name)}:${canonical(value[name]!)}`).join(',')}}`;
}

/** FNV-1a over UTF-16 code units, then the last mixing step of MurmurHash3; never 0, which stands for none. */
function hashOf(text: string): number {
  let value = 0x811c_9dc5;
  for (let at = 0; at < text.length; at++) value = Math.imul(value ^ text.charCodeAt(at), 0x0100_0193);
  value = Math.imul(value ^ (value >>> 16), 0x85eb_ca6b);
  value = Math.imul(value ^ (value >>> 13), 0xc2b2_ae35);
  return (value ^ (value >>> 16)) >>> 0 || 1;
}
