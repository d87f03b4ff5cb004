import type { About } from '../reference/about.ts';
import type { Signal } from '../signal.ts';

/** Rules that every browser obeys unless its objects were replaced. */
const rules = {
  navigator: () => Object.getPrototypeOf(navigator) === Navigator.prototype,
  screen: () => Object.getPrototypeOf(screen) === Screen.prototype,
  name: () => Object.prototype.toString.call(navigator) === '[object Navigator]',
  plugins: () => navigator.plugins === undefined || navigator.plugins instanceof PluginArray,
  plugin: () => Array.from(navigator.plugins ?? []).every((plugin) => plugin instanceof Plugin),
  mimeTypes: () => navigator.mimeTypes === undefined || navigator.mimeTypes instanceof MimeTypeArray,
  /** A built-in getter refuses a foreign object; a replaced one answers. */
  userAgent: () => refusesStrangers('userAgent'),
  webdriver: () => refusesStrangers('webdriver'),
  languages: () => refusesStrangers('languages') && Object.isFrozen(navigator.languages),
} as const;

export const about: About = {
  what: `Rules of the platform that the page's objects violate, of ${Object.keys(rules).join(', ')}.`,
  purpose: 'Imitations of the real objects violate them.',
  stability: 'visit',
  schema: { type: 'array', items: { type: 'string', enum: Object.keys(rules) }, maxItems: 9 },
  source: 'https://webidl.spec.whatwg.org/#js-platform-objects',
};

export function prototypeFaults(): Signal<readonly string[]> {
  return { value: Object.entries(rules).flatMap(([name, holds]) => (holds() ? [] : [name])) };
}

function refusesStrangers(member: string): boolean {
  if (!(member in Navigator.prototype)) return true;
  try {
    Reflect.get(Navigator.prototype, member);
    return false;
  } catch {
    return true;
  }
}
