import type { Item } from '../document/item.ts';
import { compileMessage, type Message } from '../run/message.ts';
import type { TemplateContext } from '../run/template.ts';

export interface ReadMessage extends Message {
  /** As written. */
  readonly message: string;
}

export function messageOf(item: Item, format: 'text' | 'html', context: TemplateContext): ReadMessage | undefined {
  const placed = item.placed('message');
  if (placed === undefined) return undefined;
  if (placed.text.trim() === '') return item.fail('message is empty', 'what the user reads');
  const message = compileMessage(placed, format, context);
  return message === undefined ? undefined : { ...message, message: placed.text };
}
