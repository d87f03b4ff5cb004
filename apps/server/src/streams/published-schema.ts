import { SchemaPrinter } from '../api/openapi/schema-printer.ts';
import { messageSchemas } from './message-schemas.ts';
import type { StreamKind } from './stream-settings.ts';

/** The JSON Schema of the messages of a kind, by itself: `docs/reference/streams/KIND.schema.json`. */
export function publishedSchema(kind: StreamKind): object {
  const printer = new SchemaPrinter();
  const { title = '' } = messageSchemas[kind] as { readonly title?: string };
  printer.print(messageSchemas[kind], 'answered');
  const { [title]: message, ...shared } = printer.components;
  const text = JSON.stringify({
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title,
    ...message,
    ...(Object.keys(shared).length === 0 ? {} : { $defs: shared }),
  });
  return JSON.parse(text.replaceAll('#/components/schemas/', '#/$defs/')) as object;
}
