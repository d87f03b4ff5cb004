import { problems } from '@ringfence/contract';
import { escape, prose } from '../../platform/api-reference/html.ts';
import { memberTable } from '../../platform/api-reference/member-table.ts';
import { referencePage } from '../../platform/api-reference/reference-page.ts';
import { managementPrefix } from '../openapi/document.ts';
import { type Operation, tags } from './operation.ts';
import { managementRoutes } from '../routes.ts';

type Tag = keyof typeof tags;

/** Renders the reference of the management API as one page, generated from its operations. */
export function managementPage(): string {
  const operations = managementRoutes.map(({ operation }) => operation);
  const names = Object.keys(tags) as Tag[];
  return referencePage({
    title: 'Ringfence: management API',
    lead: 'Everything that people and programs can read and change. The same as a document: <a href="/openapi.json">/openapi.json</a> (OpenAPI 3.1).',
    sections: names,
    main: `<p>Send the admin token: <code>Authorization: Bearer …</code>. Lists are newest first; pass <code>next</code> as <code>cursor</code> to get the next page.
Errors are problem details (RFC 9457) with a stable <code>code</code>, and list everything that is wrong.</p>
${names.map((tag) => section(tag, operations)).join('\n')}`,
  });
}

function section(tag: Tag, operations: readonly Operation[]): string {
  const own = operations.filter((operation) => operation.tag === tag).map(printOperation);
  return `<section id="${tag}"><h2>${tag}</h2><p>${prose(tags[tag])}</p>
${own.join('\n')}</section>`;
}

function printOperation(operation: Operation): string {
  const { id, method, path, summary, description, query, body, answer, problems: codes } = operation;
  const parts = [
    `<h3 id="${id}">${escape(summary)}</h3><p><code>${method} ${managementPrefix}${path}</code></p>`,
    description === undefined ? '' : `<p>${prose(description)}</p>`,
    query === undefined ? '' : `<h4>Query</h4>${memberTable(query)}`,
    body === undefined ? '' : `<h4>Body</h4>${memberTable(body)}`,
    `<h4>Answer ${answer.status}</h4><p>${prose(answer.description)}</p>`,
    answer.schema === undefined ? '' : memberTable(answer.schema),
    codes.length === 0 ? '' : `<p>${prose(codes.map((code) => `\`${code}\` ${problems[code].status}`).join(', '))}</p>`,
  ];
  return parts.filter((part) => part !== '').join('\n');
}
