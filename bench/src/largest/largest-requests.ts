import { type Document, type Operation, readDocument } from './documents.ts';
import { largestValue, unknownMembers } from './largest-value.ts';

/** A request that asks as much of one operation as it allows. */
export interface LargestRequest {
  readonly name: string;
  readonly listener: 'events' | 'management';
  readonly method: string;
  readonly path: string;
  /** JSON. */
  readonly body: string | undefined;
  readonly isOpen: boolean;
}

/** Bytes of a body that each listener takes, and the management API before a log-in. */
const bodyBytes = { events: 64 * 1_024, management: 1_024 * 1_024, open: 8 * 1_024 };

/** Every operation of both listeners at its largest input. `ids`: values of the path's parameters. */
export function largestRequests(ids: Readonly<Record<string, string>>): readonly LargestRequest[] {
  return (['management', 'events'] as const).flatMap((listener) => {
    const document = readDocument(listener === 'events' ? 'openapi.json' : 'openapi-management.json');
    return document.operations.flatMap((operation) => {
      const { id, method, isOpen } = operation;
      const path = filled(operation, document, ids);
      const bytesMax = isOpen && listener === 'management' ? bodyBytes.open : bodyBytes[listener];
      return Object.entries(bodiesOf(operation, document, bytesMax)).map(([kind, body]): LargestRequest => {
        return { name: kind === '' ? id : `${id}, ${kind}`, listener, method, path, body, isOpen };
      });
    });
  });
}

function filled({ path, query }: Operation, document: Document, ids: Readonly<Record<string, string>>): string {
  const base = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(ids[name] ?? 'a'.repeat(64)));
  // The filters narrow what is read: without them most is.
  const limit = query.find(({ name }) => name === 'limit');
  return limit === undefined ? base : `${base}?limit=${String(largestValue(limit.schema, document, bodyBytes.open))}`;
}

/** By what fills them; one without a body is `undefined`. */
function bodiesOf(
  { id, body }: Operation,
  document: Document,
  bytesMax: number,
): Readonly<Record<string, string | undefined>> {
  if (body === undefined) return { '': undefined };
  const ofSchema = { '': JSON.stringify(largestValue(body, document, bytesMax)) };
  const unknown = { 'unknown members': unknownMembers(bytesMax) };
  return { ...ofSchema, ...unknown, ...(policyOperations.has(id) ? policiesOf(id, bytesMax) : {}) };
}

const policyOperations: ReadonlySet<string> = new Set([
  'applyPolicy',
  'checkPolicy',
  'testPolicy',
  'requestPolicy',
  'startBacktest',
]);

/** Policies that are read to their end. */
function policiesOf(id: string, bytesMax: number): Readonly<Record<string, string>> {
  const rule = (at: number): string =>
    `  - { reason: ${at + 1}, name: rule ${at + 1}, on: [operation], when: order.amount > ${at}, then: { action: 4, message: m } }\n`;
  const rules = `rules:\n${Array.from({ length: 1_000 }, (_, at) => rule(at)).join('')}`;
  const comments = '#\n'.repeat(Math.floor((bytesMax - slackBytes) / escapedLineBytes));
  const of = (text: string): string =>
    JSON.stringify({ files: [{ path: 'large.yaml', text }], ...(id === 'testPolicy' ? {} : { comment: 'large' }) });
  return { 'lines of comments': of(comments), 'a thousand rules': of(rules) };
}

/** `#\n` in JSON. */
const escapedLineBytes = 3;
const slackBytes = 256;
