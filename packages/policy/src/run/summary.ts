import type { PlacedText } from '../document/item.ts';
import type { FactValue } from '../facts/fact-value.ts';
import type { SummaryPart, SummaryTemplate } from '../policy.ts';
import { readable, wordingOf } from '../values/readable.ts';
import { compileTemplate, type Placeholder, shorten, type TemplateContext } from './template.ts';

/** Bounds of a summary: one sentence. */
export const summaryBounds = {
  templateLength: 500,
  placeholders: 20,
  /** A longer value is cut and ends with an ellipsis. */
  valueLength: 80,
} as const;

/** Steps for separators and units; the digits themselves are in the cost of the template. */
const formatCost = 50;

/** Reads a summary in one language. */
export function compileSummary(
  placed: PlacedText,
  language: string,
  context: TemplateContext,
): SummaryTemplate | undefined {
  const template = compileTemplate(placed, { what: 'summary', format: 'text', ...summaryBounds }, context);
  if (template === undefined) return undefined;
  const { parts, reads, cost } = template;
  const wording = wordingOf(language);
  const show = ({ run, type, reads: of, currencySlot }: Placeholder, facts: FactValue[]): SummaryPart => {
    const money = currencySlot === undefined ? undefined : { currency: facts[currencySlot] as string | undefined };
    const value = run(facts) as FactValue;
    if (value === undefined || value === '') return { text: wording.missing };
    return { text: shorten(readable(value, type, { wording, money }), summaryBounds.valueLength), of, type };
  };
  return {
    language,
    template: placed.text,
    render: (facts) => parts.map((part) => (typeof part === 'string' ? { text: part } : show(part, facts))),
    reads,
    cost: cost + formatCost * parts.length,
  };
}
