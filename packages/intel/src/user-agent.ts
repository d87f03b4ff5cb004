import { isJsonObject, type JsonValue } from '@ringfence/contract';
import { wholeNumber } from './device-content.ts';

/** The properties stated in a user agent; absent ones are `undefined`. */
export interface UserAgent {
  readonly os: string | undefined;
  readonly browser: string | undefined;
  readonly browserVersion: number | undefined;
}

/** In this order, because most systems name others too. */
const systems: readonly (readonly [pattern: RegExp, os: string])[] = [
  [/Windows/, 'Windows'],
  [/CrOS/, 'ChromeOS'],
  [/Android/, 'Android'],
  [/iPhone|iPad|iPod/, 'iOS'],
  [/Mac OS X|Macintosh/, 'macOS'],
  [/Linux/, 'Linux'],
];

/** In this order, because nearly all browsers also call themselves Chrome and Safari. */
const browsers: readonly (readonly [pattern: RegExp, browser: string])[] = [
  [/\b(?:Edg|EdgA|EdgiOS)\/(\d{1,4})/, 'Edge'],
  [/\b(?:OPR|OPX)\/(\d{1,4})/, 'Opera'],
  [/\bSamsungBrowser\/(\d{1,4})/, 'Samsung Internet'],
  [/\b(?:Firefox|FxiOS)\/(\d{1,4})/, 'Firefox'],
  [/\b(?:Chrome|HeadlessChrome|CriOS)\/(\d{1,4})/, 'Chrome'],
  [/\bVersion\/(\d{1,4})\S* (?:Mobile\/\S+ )?Safari\//, 'Safari'],
];

/** @param touch the signal of this name: Apple's tablets call themselves a Macintosh, which has no touch screen */
export function readUserAgent(text: string, touch: JsonValue | undefined): UserAgent {
  const named = systems.find(([pattern]) => pattern.test(text))?.[1];
  const fingers = isJsonObject(touch) ? (wholeNumber(touch.points) ?? 0) : 0;
  const os = named === 'macOS' && fingers > 1 ? 'iOS' : named;
  for (const [pattern, browser] of browsers) {
    const match = pattern.exec(text);
    if (match !== null) return { os, browser, browserVersion: Number(match[1]) };
  }
  return { os, browser: undefined, browserVersion: undefined };
}
