import {
  actionRequestSchema,
  actionResponseSchema,
  decidedAnswerSchema,
  eventKinds,
  eventSchemas,
  outcomeSchema,
  problems,
  schemaExample,
  statusAnswerSchema,
  statusRequestSchema,
  problemMediaType,
  waitSecondsMax,
} from '@ringfence/contract';
import { escape, prose } from '../platform/api-reference/html.ts';
import { type Documented, memberTable } from '../platform/api-reference/member-table.ts';
import { referencePage } from '../platform/api-reference/reference-page.ts';
import { problemResponses } from './openapi-problems.ts';
import { ingestRoutes, type RequestKind, statusRoutes } from './routes.ts';

/** The API reference as one page, generated from the validating schemas. */
export function docsPage(): string {
  return referencePage({
    title: 'Ringfence: interface',
    lead: 'Report events, receive actions. The same as a document: <a href="/openapi.json">/openapi.json</a> (OpenAPI 3.1).',
    sections: [...kinds, 'status', 'answers', 'webhook'],
    main: `<p>In optional members, null and <code>""</code> mean absent. Unknown members are kept. A body has at most 64 KiB.
Send an <code>Idempotency-Key</code> and a request can safely be sent again for 24 hours. In the examples,
<code>$BASE</code> is the address of this page, such as <code>https://fraud.bank.example</code>.</p>
${kinds.map(requestSection).join('\n')}
${statusSection()}
${answersSection()}
${webhookSection()}`,
  });
}

const schemas: Readonly<Record<RequestKind, object>> = { ...eventSchemas, outcome: outcomeSchema };
const kinds: readonly RequestKind[] = [...eventKinds, 'outcome'];

function requestSection(kind: RequestKind): string {
  const schema = schemas[kind] as Documented;
  const paths = ingestRoutes
    .filter((route) => route.kind === kind)
    .map(({ path }) => `<li><code>POST ${path}</code></li>`);
  return `<section id="${kind}"><h2>${escape(schema.title)}</h2><p>${escape(schema.description)}</p>
<ul>${paths.join('')}</ul>${memberTable(schema)}
<h3>Try it</h3><pre>${escape(curl(kind))}</pre></section>`;
}

function curl(kind: RequestKind): string {
  const example = JSON.stringify(schemaExample(schemas[kind]), undefined, 2);
  // The shell fills in the time: a date long past would not count.
  const body = example.replace(/"timestamp": "[^"]+"/, `"timestamp": "'$(date -u +%FT%TZ)'"`);
  return `curl --json '${body}' \\
  -H "Authorization: Bearer $LICENSE_KEY" -H "Idempotency-Key: $(uuidgen)" \\
  "$BASE/api-dev/v5/analytics/app/${kind}"`;
}

function statusSection(): string {
  const question = statusRequestSchema as unknown as Documented;
  const paths = statusRoutes.map(({ path }) => `<li><code>POST ${path}</code></li>`);
  return `<section id="status"><h2>Status</h2>
<p>The decision about an event with its actions, and whether a session is active and a client blocked now. It counts in the rate of the license key.</p>
<ul>${paths.join('')}</ul><h3>Question</h3><p>${prose(question.description)}</p>${memberTable(question)}
<h3>Answer</h3>${memberTable(statusAnswerSchema as unknown as Documented)}</section>`;
}

function answersSection(): string {
  const rows = Object.entries(problemResponses()).map(
    ([status, response]) =>
      `<tr><td>${status}</td><td>${prose((response as { description: string }).description)}</td></tr>`,
  );
  return `<section id="answers"><h2>Answers</h2>
<p><code>200</code> and <code>{"id":"evt_…","status":"accepted"}</code> once the event is stored durably; an outcome has an id like <code>out_…</code>.
With <code>Prefer: wait=N</code>, N up to ${waitSecondsMax} seconds: the decision, or <code>"status":"pending"</code> when it was not made in time. Everything else is a problem
(<code>${problemMediaType}</code>, RFC 9457) with one of ${Object.keys(problems).length} stable codes, and a JSON Pointer for every wrong member.</p>
<h3>Decided</h3>${memberTable(decidedAnswerSchema as unknown as Documented)}
<h3>Problems</h3><table><thead><tr><th>Status</th><th>Codes, and when</th></tr></thead><tbody>${rows.join('\n')}</tbody></table></section>`;
}

function webhookSection(): string {
  return `<section id="webhook"><h2>Webhook</h2>
<p>When a rule fires, its actions are sent to the client's webhook by POST, with the license key as bearer token and
the headers of Standard Webhooks. The <code>webhook-id</code> stays the same on every attempt.</p>
<h3>Action request</h3>${memberTable(actionRequestSchema as Documented)}
<h3>Action response</h3>${memberTable(actionResponseSchema as Documented)}</section>`;
}
