import type { About } from '../reference/about.ts';
import type { Signal } from '../signal.ts';

/** What holds in every browser unless somebody replaced an object by one of their own. */
const rules = {
  navigator: () => Object.getPrototypeOf(navigator) === Navigator.prototype,
  screen: () => Object.getPrototypeOf(screen) === Screen.prototype,
  name: () => Object.prototype.toString.call(navigator) === '[object Navigator]',
  plugins: () => navigator.plugins === undefined || navigator.plugins instanceof PluginArray,
  plugin: () => Array.from(navigator.plugins ?? []).every((plugin) => plugin instanceof Plugin),
  mimeTypes: () => navigator.mimeTypes === undefined || navigator.mimeTypes instanceof MimeTypeArray,
  /** A built-in getter refuses an object that is not its own; a replaced one answers. */
  userAgent: () => refusesStrangers('userAgent'),
  webdriver: () => refusesStrangers('webdriver'),
  languages: () => refusesStrangers('languages') && Object.isFrozen(navigator.languages),
} as const;

export const about: About = {
  what: `Rules of the platform that the page's objects break, of ${Object.keys(rules).join(', ')}.`,
  purpose: 'Objects that were made to look like the real ones break them.',
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
