import type { Vocabulary } from './compile/compiled.ts';
import { unknownPath } from './compile/paths.ts';
import type { PlacedText } from './document/item.ts';
import { textOf } from './facts.ts';
import type { Facts, FactType } from './policy.ts';
import { printFact } from './print-fact.ts';

/** Bounds of a message, so that a rendered one stays below 64 KiB whatever the facts are. */
export const messageBounds = {
  /** An HTML mail of a page. */
  templateLength: 16_384,
  placeholders: 50,
  /** A value longer than this is cut and ends with an ellipsis. */
  valueLength: 140,
} as const;

export interface Message {
  readonly render: (facts: Facts) => string;
  /** Facts and features that it shows. */
  readonly reads: readonly string[];
}

interface Placeholder {
  readonly slot: number;
  readonly type: FactType;
}

/** From `{{` to the next `}}`, or to the end. */
const placeholder = /\{\{([^}]*)(\}\}|$|\})/g;

/**
 * Reads a message template: text with `{{ path }}`, and no logic at all. In HTML, values are escaped; the template
 * itself is the author's own. A missing fact is an empty string.
 */
export function compileMessage(
  placed: PlacedText,
  format: 'text' | 'html',
  vocabulary: Vocabulary,
): Message | undefined {
  const { text, report } = placed;
  if (text.length > messageBounds.templateLength) {
    report({
      start: 0,
      end: 1,
      message: `the message has ${text.length} characters`,
      suggestion: `at most ${messageBounds.templateLength}`,
    });
    return undefined;
  }
  const parts: (string | Placeholder)[] = [];
  const reads: string[] = [];
  let end = 0;
  let failed = false;
  for (const match of text.matchAll(placeholder)) {
    parts.push(text.slice(end, match.index));
    end = match.index + match[0].length;
    const part = compilePlaceholder(match, report, vocabulary);
    if (part === undefined) failed = true;
    else {
      reads.push(part.path);
      parts.push(part);
    }
  }
  parts.push(text.slice(end));
  if (reads.length > messageBounds.placeholders) {
    report({
      start: 0,
      end: 1,
      message: `the message shows ${reads.length} facts`,
      suggestion: `at most ${messageBounds.placeholders}`,
    });
    return undefined;
  }
  return failed
    ? undefined
    : {
        render: renderer(
          parts.filter((part) => part !== ''),
          format === 'html',
        ),
        reads,
      };
}

function compilePlaceholder(
  match: RegExpExecArray,
  report: PlacedText['report'],
  vocabulary: Vocabulary,
): (Placeholder & { readonly path: string }) | undefined {
  const [whole, inner = '', closing] = match;
  const path = inner.trim();
  const span = { start: match.index, end: match.index + whole.length };
  if (closing !== '}}') {
    report({ ...span, message: 'the placeholder is not closed', suggestion: '{{ order.amount }}' });
    return undefined;
  }
  if (!/^[\w.]+$/.test(path)) {
    report({
      ...span,
      message: `{{${inner}}} is not the name of a fact`,
      suggestion: 'a fact or feature alone, without filters or logic',
    });
    return undefined;
  }
  const name = vocabulary.find(path);
  if (name === undefined && vocabulary.broken(path)) return undefined;
  if (name === undefined) {
    const at = match.index + whole.indexOf(path);
    report({ start: at, end: at + path.length, ...unknownPath(path, vocabulary.paths()) });
    return undefined;
  }
  // An amount is shown with the digits that were sent: 10.10, not 10.1.
  const shown = vocabulary.find(textOf.get(path) ?? path) ?? name;
  return { path, slot: vocabulary.slotOf(shown.path), type: shown.type };
}

function renderer(parts: readonly (string | Placeholder)[], html: boolean): Message['render'] {
  return (facts) => {
    let message = '';
    for (const part of parts) {
      if (typeof part === 'string') message += part;
      else {
        const value = shorten(printFact(facts[part.slot], part.type));
        message += html ? escapeHtml(value) : value;
      }
    }
    return message;
  };
}

/**
 * One line, cut where it is too long. Control characters could forge another line of a mail or an SMS, and marks of
 * direction could turn what it says around: both become a blank.
 */
function shorten(value: string): string {
  const line = value.replace(/[\p{Cc}\u2028-\u202e\u2066-\u2069]+/gu, ' ');
  if (line.length <= messageBounds.valueLength) return line;
  const cut = line.slice(0, messageBounds.valueLength - 1);
  return `${/[\ud800-\udbff]$/.test(cut) ? cut.slice(0, -1) : cut}…`;
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
