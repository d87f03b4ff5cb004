import { isJsonObject, type JsonObject, type JsonValue } from '@ringfence/contract';
import { wholeNumber } from './device-content.ts';
import { deviceComponents } from './components.ts';
import { factLengthMax } from './limits.ts';
import { listOf, textOf } from './signal-values.ts';
import { readUserAgent, type UserAgent } from './user-agent.ts';

/** Facts by their paths; a missing one is omitted. */
export type Facts = Record<string, string | number | boolean>;

/** Traits that hardly anything but a headless browser has; of the others, several together. */
const headlessNames = new Set(['name', 'brand']);
const traitsOfAMachine = 3;

/** Signals that reveal a modified browser. Monitoring scripts patch functions too, so that signal is not included. */
const tamperSignals = ['ownProperties', 'prototypeFaults', 'frameMismatch', 'workerMismatch'] as const;

/** Facts about the device from its signals. A signal that is absent, or of the wrong type, yields no fact. */
export function signalFacts(signals: JsonObject): Facts {
  const facts: Facts = {};
  putText(facts, 'device.timezone', textOf(signals.timezone));
  put(facts, 'device.timezoneOffset', offsetOf(signals.timezoneOffsetMin));
  putText(facts, 'device.languages', listOf(signals.languages)?.join(','));
  putText(facts, 'device.platform', textOf(signals.platform));
  putText(facts, 'device.userAgent', textOf(signals.userAgent));
  putText(facts, 'device.screen', screenOf(signals.screen));
  const automation = automationSigns(signals);
  put(facts, 'device.automation', automation?.isAutomated);
  putText(facts, 'device.automationSigns', automation?.signs.join(','));
  const tamper = tamperSigns(signals);
  put(facts, 'device.tampered', tamper === undefined ? undefined : tamper.length > 0);
  putText(facts, 'device.tamperSigns', tamper?.join(','));
  putText(facts, 'device.patchedFunctions', listOf(signals.patchedFunctions)?.join(','));
  put(facts, 'device.headless', isHeadless(listOf(signals.headlessTraits)));
  put(facts, 'device.virtual', isVirtual(signals.webgl));
  const agent = textOf(signals.userAgent);
  if (agent !== undefined) putAgent(facts, readUserAgent(agent, signals.touch));
  const { components, print } = deviceComponents(signals);
  if (components !== '') facts['device.components'] = components;
  putText(facts, 'device.print', print);
  return facts;
}

interface Automation {
  readonly isAutomated: boolean;
  readonly signs: readonly string[];
}

/** `undefined` if none of the signals was sent. */
function automationSigns({ webdriver, automationGlobals, headlessTraits }: JsonObject): Automation | undefined {
  const globals = listOf(automationGlobals);
  const traits = listOf(headlessTraits);
  if (typeof webdriver !== 'boolean' && globals === undefined && traits === undefined) return undefined;
  return {
    isAutomated: webdriver === true || (globals ?? []).length > 0 || isHeadless(traits) === true,
    signs: [...(webdriver === true ? ['webdriver'] : []), ...(globals ?? []), ...(traits ?? [])],
  };
}

function isHeadless(traits: readonly string[] | undefined): boolean | undefined {
  return traits && (traits.length >= traitsOfAMachine || traits.some((trait) => headlessNames.has(trait)));
}

/** Software renderers, and the drivers of virtual machines and emulators. */
const virtualNames =
  /swiftshader|llvmpipe|softpipe|software rasterizer|basic render|vmware|svga3d|virtualbox|parallels|virgl|bluestacks|emulator/i;

function isVirtual(webgl: JsonValue | undefined): boolean | undefined {
  if (!isJsonObject(webgl)) return undefined;
  const renderer = textOf(webgl.renderer);
  return renderer === undefined ? undefined : virtualNames.test(renderer);
}

function putAgent(facts: Facts, { os, browser, browserVersion }: UserAgent): void {
  putText(facts, 'device.os', os);
  putText(facts, 'device.browser', browser);
  put(facts, 'device.browserVersion', browserVersion);
}

function tamperSigns(signals: JsonObject): readonly string[] | undefined {
  const came = tamperSignals.flatMap((name) => {
    const found = listOf(signals[name]);
    return found === undefined ? [] : [{ name, found }];
  });
  if (came.length === 0) return undefined;
  return came.flatMap(({ name, found }) => found.map((one) => `${name}:${one}`));
}

function put(facts: Facts, path: string, value: string | number | boolean | undefined): void {
  if (value !== undefined) facts[path] = value;
}

/** An empty text yields no fact, because "" means absent in rules. */
function putText(facts: Facts, path: string, text: string | undefined): void {
  if (text !== undefined && text !== '') facts[path] = text.slice(0, factLengthMax).toWellFormed();
}

/** Minutes behind UTC; no place on Earth is 15 hours away. */
function offsetOf(value: JsonValue | undefined): number | undefined {
  const minutes = wholeNumber(value);
  return minutes !== undefined && Math.abs(minutes) <= 900 ? minutes : undefined;
}

function screenOf(value: JsonValue | undefined): string | undefined {
  if (!isJsonObject(value)) return undefined;
  const width = wholeNumber(value.width);
  const height = wholeNumber(value.height);
  return width === undefined || height === undefined ? undefined : `${width}x${height}`;
}
