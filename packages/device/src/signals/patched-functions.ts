import { inFreshRealm } from '../fresh-realm.ts';
import type { About } from '../reference/about.ts';
import { type Signal, unsupported } from '../signal.ts';

/** Built-in members that tools replace to hide themselves, and that malware replaces to eavesdrop, by their owner. */
const watched: Readonly<Record<string, string>> = {
  'Navigator.prototype':
    'webdriver userAgent platform languages plugins hardwareConcurrency deviceMemory userAgentData',
  'Screen.prototype': 'width height colorDepth',
  'Permissions.prototype': 'query',
  'MediaDevices.prototype': 'enumerateDevices',
  'HTMLCanvasElement.prototype': 'toDataURL getContext',
  'CanvasRenderingContext2D.prototype': 'getImageData measureText',
  'WebGLRenderingContext.prototype': 'getParameter getSupportedExtensions',
  'AudioBuffer.prototype': 'getChannelData copyFromChannel',
  'Date.prototype': 'getTimezoneOffset',
  'Intl.DateTimeFormat.prototype': 'resolvedOptions',
  'Function.prototype': 'toString',
  Object: 'getOwnPropertyDescriptor getOwnPropertyNames',
  'SubtleCrypto.prototype': 'encrypt sign digest generateKey',
  'Crypto.prototype': 'getRandomValues',
  'HTMLIFrameElement.prototype': 'contentWindow',
  'HTMLFormElement.prototype': 'submit',
  'HTMLInputElement.prototype': 'value',
  'XMLHttpRequest.prototype': 'open send',
  window: 'fetch',
};

export const about: About = {
  what: 'Built-in functions that a script of the page or a tool has replaced.',
  purpose:
    "Tools that hide automation replace functions that would reveal it; trojans replace those that send a password. Monitoring scripts replace fetch and XMLHttpRequest too: compare with the page's own scripts.",
  stability: 'visit',
  schema: { type: 'array', items: { type: 'string', maxLength: 512 }, maxItems: 64 },
  source: 'https://tc39.es/ecma262/#sec-function.prototype.tostring',
};

export function patchedFunctions(): Signal<readonly string[]> {
  const value = inFreshRealm(({ Function: { prototype } }) => {
    const print = (member: unknown): string => prototype.toString.call(member);
    return Object.entries(watched).flatMap(([path, names]) => {
      const owner = ownerAt(path);
      if (owner === undefined) return [];
      return names
        .split(' ')
        .filter((name) => isReplaced(owner, name, print))
        .map((name) => `${path}.${name}`);
    });
  });
  return value === undefined ? unsupported : { value };
}

function ownerAt(path: string): object | undefined {
  let owner: unknown = window;
  for (const name of path.split('.')) owner = (owner as Readonly<Record<string, unknown>> | undefined)?.[name];
  return owner as object | undefined;
}

/**
 * A built-in function prints itself with its name. A replacement prints its code, and a proxy or a bound function no
 * name.
 */
function isReplaced(owner: object, name: string, print: (member: unknown) => string): boolean {
  const descriptor: { readonly get?: unknown; readonly value?: unknown } | undefined = Object.getOwnPropertyDescriptor(
    owner,
    name,
  );
  if (descriptor === undefined) return false; // this browser does not have it
  const member: unknown = descriptor.get ?? descriptor.value;
  if (typeof member !== 'function') return true;
  const text = print(member).replaceAll(/\s/g, '');
  return !new RegExp(`^function(?:get)?${name}\\(\\)\\{\\[nativecode\\]\\}$`).test(text) || 'prototype' in member;
}
