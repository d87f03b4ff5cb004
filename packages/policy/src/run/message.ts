import type { PlacedText } from '../document/item.ts';
import type { Facts, FactValue } from '../facts/fact-value.ts';
import { printFact } from '../facts/print-fact.ts';
import { compileTemplate, shorten, type Template, type TemplateContext } from './template.ts';

/** Bounds of a message, so that a rendered one stays below 65,536 characters and 96 KiB for all facts. */
export const messageBounds = {
  /** An HTML mail of a page. */
  templateLength: 16_384,
  placeholders: 50,
  /** A longer value is cut and ends with an ellipsis. */
  valueLength: 140,
} as const;

export interface Message {
  readonly render: (facts: Facts) => string;
  /** Facts and features that it shows. */
  readonly reads: readonly string[];
  /** The most steps that it costs. */
  readonly cost: number;
}

/** Reads a message. In HTML, values are escaped; the template itself is not. A missing value is an empty string. */
export function compileMessage(
  placed: PlacedText,
  format: 'text' | 'html',
  context: TemplateContext,
): Message | undefined {
  const template = compileTemplate(placed, { what: 'message', format, ...messageBounds }, context);
  if (template === undefined) return undefined;
  const { parts, reads, cost } = template;
  return { render: renderer(parts, format === 'html'), reads, cost };
}

function renderer(parts: Template['parts'], html: boolean): Message['render'] {
  return (facts) => {
    let message = '';
    for (const part of parts) {
      if (typeof part === 'string') message += part;
      else {
        const value = shorten(printFact(part.run(facts) as FactValue, part.type), messageBounds.valueLength);
        message += html ? escapeHtml(value) : value;
      }
    }
    return message;
  };
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escapeHtml(value: string): string {
  return value.replace(/[&<>"']/g, (sign) => entities[sign] ?? sign);
}
