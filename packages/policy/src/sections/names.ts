import type { Item } from '../document/item.ts';
import { factDefinitions } from '../facts/facts.ts';

/** First words of facts, and words with a meaning in conditions: not allowed as names of features and lists. */
const taken: ReadonlySet<string> = new Set([
  ...factDefinitions.map((fact) => fact.path.split('.')[0] ?? fact.path),
  ...words('account card client device event ip model order payee session travel'),
  ...words('lists params features rates cel true false null in has int double decimal string size duration timestamp'),
  // Reserved words of CEL's grammar.
  ...words('as break const continue else for function if import let loop package namespace return var void while'),
  ...words('prototype constructor'),
]);

function words(text: string): readonly string[] {
  return text.split(' ');
}

/** Whether a feature or list can have this name; otherwise it was reported at the name. */
export function checkName(name: string, at: Item): boolean {
  if (!/^[a-z][A-Za-z0-9]{0,63}$/.test(name)) {
    at.fail(`${name} can't be a name`, 'a small letter, then letters and digits, at most 64');
    return false;
  }
  if (taken.has(name)) {
    at.fail(`${name} already has a meaning`, `another name, such as ${name}24h`);
    return false;
  }
  return true;
}
