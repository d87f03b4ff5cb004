import type { Item } from '../document/item.ts';
import type { SummaryTemplate } from '../policy.ts';
import { compileSummary } from '../run/summary.ts';
import type { TemplateContext } from '../run/template.ts';
import { languageMistake } from './language-tag.ts';

/** The language of a summary that names none. */
const defaultLanguage = 'en';
/** Each is rendered and stored with every alert. */
const languagesMax = 8;

/** `summary: text`, or `summary: { en: text, es: text }`. */
export function readSummary(item: Item, context: TemplateContext): readonly SummaryTemplate[] | undefined {
  if (!item.isMapping) {
    const one = readOne(item, defaultLanguage, context);
    return one === undefined ? undefined : [one];
  }
  const entries = item.entries('summary');
  if (entries === undefined) return undefined;
  if (entries.length === 0) return item.fail('summary is empty', '{ en: what happened }');
  if (entries.length > languagesMax)
    return item.fail(`the summary has ${entries.length} languages`, `at most ${languagesMax}`);
  const read = entries.map(({ key, keyItem, value }) => {
    const mistake = languageMistake(key);
    if (mistake !== undefined) keyItem.fail(`${key} is not a language tag`, mistake);
    const one = readOne(value, key, context);
    return mistake === undefined ? one : undefined;
  });
  const known = read.filter((one) => one !== undefined);
  return known.length < read.length ? undefined : known;
}

function readOne(item: Item, language: string, context: TemplateContext): SummaryTemplate | undefined {
  const placed = item.placed('summary');
  if (placed === undefined) return undefined;
  if (placed.text.trim() === '') return item.fail('summary is empty', 'what happened, in one sentence');
  return compileSummary(placed, language, context);
}
